import { Cart } from './cart.ts';

const scope = globalThis as unknown as Worker;
scope.postMessage(new Cart().add(2).total());
close();
