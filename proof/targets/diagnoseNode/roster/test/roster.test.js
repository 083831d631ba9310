const { Roster } = require('../src/roster');

describe('a roster', () => {
  it('begins with the template', () => {
    expect(new Roster().summary(1)[0]).toBe('monday: Ines');
  });

  it('keeps weeks apart', () => {
    const roster = new Roster();
    roster.assign(10, 'tuesday', 'Omar');
    expect(roster.summary(11)).toEqual(['monday: Ines', 'tuesday: nobody']);
  });
});
