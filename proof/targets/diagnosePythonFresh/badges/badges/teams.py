def by_team(people, teams={}):
    for member in people:
        teams.setdefault(member.team, []).append(member.name)
    return teams
