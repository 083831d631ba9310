const template = {
  days: [
    { day: 'monday', staff: ['Ines'] },
    { day: 'tuesday', staff: [] },
  ],
};

function weekTemplate() {
  return template;
}

module.exports = { weekTemplate };
