struct lift {
  int floor;
  int way;
  int calls[16];
  int count;
  int travelled;
};

void lift_call(struct lift *lift, int floor);
int lift_next(const struct lift *lift);
int lift_move(struct lift *lift);
int lift_serve(struct lift *lift);
