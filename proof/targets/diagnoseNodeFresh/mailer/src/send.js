async function sendOne(transport, address) {
  await transport.deliver(address).catch(() => undefined);
  return true;
}

module.exports = { sendOne };
