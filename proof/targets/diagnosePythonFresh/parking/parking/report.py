def day(tickets):
    return sum(ticket.fee(left) for ticket, left in tickets)
