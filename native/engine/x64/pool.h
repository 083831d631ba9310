/* See ../pool.h. */
extern u8 engine_return[], engine_return_stack[];

static inline struct frame *frame_above(const struct frame *frame) {
  u64 sp = (u64)frame + FRAME_BYTES, return_address = *(const u64 *)sp;
  if (return_address == (u64)engine_return) return (struct frame *)(sp + 8);
  return return_address == (u64)engine_return_stack ? (struct frame *)frame->rbp : 0;
}
