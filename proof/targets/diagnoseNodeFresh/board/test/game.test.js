const { Game } = require('../src/game');

test('marks take turns', () => {
  const game = new Game();
  game.play(0);
  game.play(3);
  expect(game.cells).toEqual(['x', '', '', 'o']);
});

test('a move can be taken back', () => {
  const game = new Game();
  game.play(0);
  game.play(2);
  expect(game.undo()).toEqual(['x', '', '', '']);
});
