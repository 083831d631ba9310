DAYS = ['mon', 'tue', 'wed', 'thu', 'fri']


def empty_week():
    return dict.fromkeys(DAYS, [])


def dishes(week):
    return [dish for day in DAYS for dish in week[day]]
