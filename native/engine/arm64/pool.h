/* See ../pool.h. */
extern u8 engine_return[], engine_return_stack[];

static inline struct frame *frame_above(const struct frame *frame) {
  if (frame->link == (u64)engine_return) return (struct frame *)((u64)frame + FRAME_BYTES);
  return frame->link == (u64)engine_return_stack ? (struct frame *)(frame->fp - FRAME_RECORD) : 0;
}
