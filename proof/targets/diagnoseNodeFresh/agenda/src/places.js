const ahead = { Tokyo: 540, Lima: -300, London: 0 };

function aheadOf(place) {
  return ahead[place];
}

module.exports = { aheadOf };
