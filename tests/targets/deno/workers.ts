const worker = new Worker(new URL('./inWorker.ts', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => console.log(data);
