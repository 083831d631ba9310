from payroll.week import Week, with_bonus


def slip(name, hours, wage, share='0'):
    return f'{name}: {with_bonus(Week(hours, wage), share)}'
