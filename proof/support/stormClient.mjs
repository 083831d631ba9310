/*
 * An MCP client as a process of its own, so that it can be killed: the official SDK with the real
 * proxy below it. Its parent says what to call over the channel of `fork`.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [program, cwd] = process.argv.slice(2);
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [program, 'mcp', '--structured'],
  env: { ...process.env },
  cwd,
  stderr: 'ignore',
});
const client = new Client({ name: 'strobe-storm', version: '1' });
await client.connect(transport);

// oxlint-disable-next-line typescript/no-misused-promises -- nobody waits for it
process.on('message', async ({ id, tool, args }) => {
  try {
    const result = await client.callTool({ name: tool, arguments: args }, undefined, {
      timeout: 60_000,
    });
    const text = result.content.map((part) => part.text ?? '').join('\n');
    process.send({ id, isError: result.isError === true, text, answer: result.structuredContent });
  } catch (error) {
    process.send({ id, isError: true, text: String(error), answer: null });
  }
});
// oxlint-disable-next-line typescript/no-misused-promises -- nobody waits for it
process.on('disconnect', async () => {
  await client.close();
  process.exit(0);
});
process.send({ proxy: transport.pid });
