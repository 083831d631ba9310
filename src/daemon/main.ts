import { compose } from './compose.ts';
import { serve } from './serve.ts';

process.exit(await serve(compose));
