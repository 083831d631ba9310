const { sendOne } = require('./send');

async function campaign(transport, addresses) {
  const outcomes = await Promise.all(addresses.map((address) => sendOne(transport, address)));
  return { sent: outcomes.filter(Boolean).length, failed: outcomes.filter((one) => !one).length };
}

module.exports = { campaign };
