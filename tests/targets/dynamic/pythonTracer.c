/* The tracer for CPython 3.9 to 3.15 of the experiments on runtimes, without Python.h: throw-away
 * code by design, kept to prove that what such a tracer writes is read right. Frames and objects
 * are read by offsets (pythonOffsets.inc). Up to 3.11 it is a profile function, later a tool of
 * sys.monitoring. */
#include <sys/types.h>
#include <unistd.h>

typedef ssize_t Sz;
typedef struct obj {
  Sz rc;
  struct obj *type;
} obj;
typedef uint64_t u64;
typedef uint32_t u32;
#define AT(p, o, T) (*(T *)((char *)(p) + (o)))
typedef struct {
  int minor, co_argcount, co_kwonly, co_flags, co_firstlineno, co_filename, co_name, co_extra,
      co_qualname, co_varnames, co_kinds, co_ncell, co_cell2arg, co_ft, co_code, co_nlocals,
      if_locals, if_owner, if_code, if_prev, if_instr, ts_cframe, ts_frame, fo_frame, gi_iframe,
      gi_state, ts_native, fo_code, fo_locals, fo_lasti, fo_state, fo_stacktop, ht_cached_keys,
      ht_name, exc_args, int_new, str_ascii, str_compact, tuple_items, list_items;
} lay;
static const lay LAY[] = {
#include "pythonOffsets.inc"
};
static lay L;
enum {
  TP_NAME = 24,
  TP_BASICSIZE = 32,
  TP_FLAGS = 168,
  TP_MEMBERS = 240,
  TP_BASE = 256,
  TP_DICT = 264,
  TP_DICTOFF = 288
};
#define API                                                                                  \
  X(obj *, PyImport_ImportModule, (const char *))                                            \
  X(obj *, PySys_GetObject, (const char *))                                                  \
  X(obj *, PyObject_GetAttrString, (obj *, const char *))                                    \
  X(obj *, PyObject_CallFunction, (obj *, const char *, ...))                                \
  X(obj *, PyCFunction_NewEx, (void *, obj *, obj *))                                        \
  X(int, PyDict_Next, (obj *, Sz *, obj **, obj **))                                         \
  X(obj **, _PyObject_GetDictPtr, (obj *))                                                   \
  X(void, PyErr_Clear, (void))                                                               \
  X(void, PyErr_Print, (void)) X(void, Py_DecRef, (obj *)) X(void, Py_IncRef, (obj *))       \
      X(void *, PyInterpreterState_Head, (void))                                             \
          X(void *, PyInterpreterState_ThreadHead, (void *))                                 \
              X(void *, PyThreadState_Next, (void *)) X(const char *, Py_GetVersion, (void)) \
                  X(Sz, PyLong_AsSsize_t, (obj *))                                           \
                      X(const char *, PyUnicode_AsUTF8AndSize, (obj *, Sz *))
#define X(r, n, a) static r(*n) a;
API
#undef X
    static int (*_PyEval_SetProfile)(void *, void *, obj *);
static void (*SetProfileAll)(void *, obj *);
static void *(*ThreadState)(void);
static Sz (*ReqExtra)(void *);
static int (*SetExtra)(obj *, Sz, void *);
static obj *None, *TrueO, *FalseO, *FloatT, *SetT, *FrozenT, *CellT, *FuncT;
static int maxdepth = 3, maxitems = 24, maxstr = 128, maxargs = 16;
enum { ROOMW = 256 };
// ---- value encoding: header word {u32 bytes, u32 flags|tag}; bytes 0: immediate
typedef struct {
  unsigned char *p, *end;
  obj *path[8];
  int cut;
} enc;
#define ROOM(n)              \
  if (e->p + (n) > e->end) { \
    e->cut = 1;              \
    return;                  \
  }
#define W1(v) (*e->p++ = (v))
static inline void vi(enc *e, u64 v) {
  while (v >= 128) {
    W1(v | 128);
    v >>= 7;
  }
  W1(v);
}
static inline void wn(enc *e, u64 v, int n) {
  memcpy(e->p, &v, 8);
  e->p += n;
}
typedef struct {
  obj *t;
  const char *name;
  obj *ht;
  u32 id;
  unsigned char k;
} tent;
static tent TC[8192];
enum { C_PLAIN, C_ENUM, C_ND };
static inline int flagbit(obj *t, int b) { return (AT(t, TP_FLAGS, unsigned long) >> b) & 1; }
static u32 typeid_(obj *t, unsigned char *k) {
  u32 h = ((uintptr_t)t >> 4) * 2654435761u >> 19;
  obj *ht = flagbit(t, 9) ? AT(t, L.ht_name, obj *) : 0;
  const char *nm = AT(t, TP_NAME, const char *);
  for (int i = 0; i < 8; i++) {
    tent *e = &TC[(h + i) & 8191];
    if (e->t == t && e->name == nm && e->ht == ht) {
      *k = e->k;
      return e->id;
    }
    if (!e->t || i == 7) {
      e->t = t;
      e->name = nm;
      e->ht = ht;
      unsigned char c = C_PLAIN;
      for (obj *b = t->type; b; b = AT(b, TP_BASE, obj *)) {
        const char *n = AT(b, TP_NAME, const char *);
        if (!strcmp(n, "EnumMeta") || !strcmp(n, "EnumType")) c = C_ENUM;
      }
      for (obj *b = t; b && !c; b = AT(b, TP_BASE, obj *))
        if (!strcmp(AT(b, TP_NAME, const char *), "numpy.ndarray")) c = C_ND;
      e->k = c;
      *k = c;
      e->id = define_type(nm, "", c == C_ENUM ? TYPE_FLAG_ENUM : c == C_ND ? TYPE_FLAG_NDARRAY : 0);
      return e->id;
    }
  }
  return 0;
}
static void val(enc *e, obj *o, int d);
static void str(enc *e, obj *o) {
  Sz n = AT(o, 16, Sz);
  u32 st = AT(o, 32, u32);
  int kind = (st >> 2) & 7, compact = (st >> 5) & 1, ascii = (st >> 6) & 1;
  if (kind != 1 && kind != 2 && kind != 4) {
    ROOM(1);
    W1(ITEM_UNSET);
    return;
  }
  char *d =
      compact ? (char *)o + (ascii ? L.str_ascii : L.str_compact) : AT(o, L.str_compact, char *);
  Sz k = n < maxstr ? n : maxstr;
  ROOM(12 + k * kind);
  W1(kind == 1 ? ITEM_TEXT1 : kind == 2 ? ITEM_TEXT2 : ITEM_TEXT4);
  vi(e, n);
  vi(e, k);
  memcpy(e->p, d, k * kind);
  e->p += k * kind;
}
static void nstr(enc *e, const char *s) {
  Sz k = strlen(s);
  if (k > maxstr) k = maxstr;
  ROOM(12 + k);
  W1(ITEM_TEXT1);
  vi(e, k);
  vi(e, k);
  memcpy(e->p, s, k);
  e->p += k;
}
static inline int digits(obj *o, u32 **dg, int *neg) {
  Sz nd;
  *dg = (u32 *)((char *)o + 24);
  if (L.int_new) {
    uintptr_t t = AT(o, 16, uintptr_t);
    nd = t >> 3;
    *neg = (t & 3) == 2;
    if ((t & 3) == 1) nd = 0;
  } else {
    Sz s = AT(o, 16, Sz);
    *neg = s < 0;
    nd = *neg ? -s : s;
  }
  return nd;
}
static void integer(enc *e, obj *o) {
  u32 *dg;
  int neg;
  int nd = digits(o, &dg, &neg);
  ROOM(10);
  if (nd <= 2) {
    int64_t v = nd ? dg[0] : 0;
    if (nd == 2) v |= (int64_t)dg[1] << 30;
    if (neg) v = -v;
    if (v == (int8_t)v) {
      W1(ITEM_I8);
      W1(v);
    } else if (v == (int16_t)v) {
      W1(ITEM_I16);
      wn(e, v, 2);
    } else if (v == (int32_t)v) {
      W1(ITEM_I32);
      wn(e, v, 4);
    } else {
      W1(ITEM_I64);
      wn(e, v, 8);
    }
    return;
  }
  Sz k = nd < 64 ? nd : 64;
  ROOM(20 + 4 * k);
  W1(ITEM_INTEGER);
  W1(neg);
  vi(e, nd);
  vi(e, k);
  memcpy(e->p, dg + (nd - k), 4 * k);
  e->p += 4 * k;
}
#define OPEN                \
  unsigned char *at = e->p; \
  e->p += 2
#define CLOSE                         \
  do {                                \
    unsigned short l = e->p - at - 2; \
    memcpy(at, &l, 2);                \
  } while (0)
static void dict(enc *e, obj *o, int d) {
  Sz n = AT(o, 16, Sz), pos = 0;
  obj *k, *v;
  int c = 0;
  ROOM(14);
  W1(ITEM_MAP);
  OPEN;
  vi(e, n);
  if (d < maxdepth)
    while (c < maxitems && !e->cut && PyDict_Next(o, &pos, &k, &v)) {
      unsigned char *b = e->p;
      val(e, k, d + 1);
      if (!e->cut) val(e, v, d + 1);
      if (e->cut) e->p = b;
      c++;
    }
  CLOSE;
}
static void items(enc *e, obj **it, Sz n, int tag, int d) {
  ROOM(14);
  W1(tag);
  OPEN;
  vi(e, n);
  if (d < maxdepth)
    for (Sz i = 0; i < n && i < maxitems && !e->cut; i++) val(e, it[i], d + 1);
  CLOSE;
}
static void attrs(enc *e, obj *o, obj *t, int d) {
  unsigned long fl = AT(t, TP_FLAGS, unsigned long);
  Sz dof = AT(t, TP_DICTOFF, Sz);
  obj *dict = 0;
  char *vals = 0;
  if (L.minor >= 11 && (fl & (1 << 4))) {
    uintptr_t m = AT(o, -24, uintptr_t);
    if (L.minor == 11) {
      vals = AT(o, -32, char *);
      if (!vals) dict = (obj *)m;
    } else if (L.minor == 12) {
      if (m & 1) vals = (char *)(m + 1);
      else dict = (obj *)m;
    } else {
      dict = (obj *)m;
      if (!dict && (fl & 4)) {
        char *v = (char *)o + (L.minor == 13 ? 16 : AT(t, TP_BASICSIZE, Sz));
        if (v[3]) vals = v + 8;
      }
    }
  } else if (dof) {
    obj **p = _PyObject_GetDictPtr(o);
    if (p) dict = *p;
  }
  int c = 0;
  if (dict) {
    Sz pos = 0;
    obj *k, *v;
    while (c < maxitems && !e->cut && PyDict_Next(dict, &pos, &k, &v)) {
      val(e, k, d + 1);
      val(e, v, d + 1);
      c++;
    }
  } else if (vals) {
    char *ks = AT(t, L.ht_cached_keys, char *);
    if (ks) {
      Sz n = AT(ks, 24, Sz);
      char *en = ks + 32 + (1ul << AT(ks, 9, uint8_t));
      for (Sz i = 0; i < n && c < maxitems && !e->cut; i++) {
        obj *v = AT(vals, i * 8, obj *), *k = AT(en, i * 16, obj *);
        if (v && k) {
          val(e, k, d + 1);
          val(e, v, d + 1);
          c++;
        }
      }
    }
  }
  for (obj *b = t; b && flagbit(b, 9); b = AT(b, TP_BASE, obj *)) {
    char *m = AT(b, TP_MEMBERS, char *);
    if (!m) continue;
    for (; AT(m, 0, char *) && c < maxitems && !e->cut; m += 40) {
      int ty = AT(m, 8, int);
      Sz off = AT(m, 16, Sz);
      const char *nm = AT(m, 0, char *);
      if ((ty != 16 && ty != 6) || off < 16 || !strcmp(nm, "__weakref__")) continue;
      obj *v = AT(o, off, obj *);
      if (v) {
        nstr(e, nm);
        val(e, v, d + 1);
        c++;
      }
    }
  }
}
static void val(enc *e, obj *o, int d) {
  if (!o) {
    ROOM(1);
    W1(ITEM_UNSET);
    return;
  }
  if (o == None || o == TrueO || o == FalseO) {
    ROOM(1);
    W1(o == None ? ITEM_NONE : o == TrueO ? ITEM_TRUE : ITEM_FALSE);
    return;
  }
  obj *t = o->type;
  unsigned long fl = AT(t, TP_FLAGS, unsigned long);
  unsigned sub = (fl >> 24) & 0xff;
  int exact = !(fl & (1 << 9));
  if (exact) {
    if (sub & 1) {
      integer(e, o);
      return;
    }
    if (sub & 16) {
      str(e, o);
      return;
    }
    if (t == FloatT) {
      ROOM(9);
      W1(ITEM_FLOAT);
      wn(e, AT(o, 16, u64), 8);
      return;
    }
    if (sub & 8) {
      Sz n = AT(o, 16, Sz), k = n < maxstr ? n : maxstr;
      ROOM(12 + k);
      W1(ITEM_BYTES);
      vi(e, n);
      vi(e, k);
      memcpy(e->p, (char *)o + 32, k);
      e->p += k;
      return;
    }
  }
  for (int i = 0; i < d && i < 8; i++)
    if (e->path[i] == o) {
      ROOM(2);
      W1(ITEM_CYCLE);
      W1(d - i);
      return;
    }
  if (d < 8) e->path[d] = o;
  unsigned char k = 0;
  u32 ti = 0;
  if (!exact || !(sub & 0x26)) ti = typeid_(t, &k);
  if (k == C_ND) {
    int nd = AT(o, 24, int);
    Sz *sh = AT(o, 32, Sz *);
    char *ds = AT(o, 56, char *);
    ROOM(12 + 8 * 8);
    W1(ITEM_ARRAY);
    vi(e, ti);
    W1(AT(ds, 24, char));
    W1(AT(ds, 25, char));
    W1(AT(ds, 26, char));
    W1(nd);
    for (int i = 0; i < nd && i < 8; i++) vi(e, sh[i]);
    return;
  }
  if (!exact && sub && !(sub & 0xc0)) {
    ROOM(20);
    W1(ITEM_SUBCLASS);
    OPEN;
    vi(e, ti);
    if (sub & 1) integer(e, o);
    else if (sub & 16) str(e, o);
    else if (sub & 8) W1(ITEM_UNSET);
    else if (sub & 0x20) dict(e, o, d);
    else {
      Sz n = AT(o, 16, Sz);
      obj **it = (sub & 2) ? AT(o, L.list_items, obj **) : (obj **)((char *)o + L.tuple_items);
      items(e, it, n, (sub & 2) ? ITEM_LIST : ITEM_TUPLE, d);
    }
    if (d < maxdepth) attrs(e, o, t, d);
    CLOSE;
    return;
  }
  if (sub & 0x20) {
    dict(e, o, d);
    return;
  }
  if (sub & 6) {
    Sz n = AT(o, 16, Sz);
    items(e, (sub & 2) ? AT(o, L.list_items, obj **) : (obj **)((char *)o + L.tuple_items), n,
          (sub & 2) ? ITEM_LIST : ITEM_TUPLE, d);
    return;
  }
  if (t == SetT || t == FrozenT) {
    Sz n = AT(o, 24, Sz), mask = AT(o, 32, Sz), c = 0;
    char *tb = AT(o, 40, char *);
    ROOM(14);
    W1(ITEM_SET);
    OPEN;
    vi(e, n);
    if (d < maxdepth)
      for (Sz i = 0; i <= mask && c < n && c < maxitems && !e->cut; i++) {
        obj *kk = AT(tb, i * 16, obj *);
        if (kk && AT(tb, i * 16 + 8, Sz) != -1) {
          val(e, kk, d + 1);
          c++;
        }
      }
    CLOSE;
    return;
  }
  if (sub & 0x40) {
    ROOM(20);
    W1(ITEM_EXCEPTION);
    OPEN;
    vi(e, ti);
    if (d < maxdepth) val(e, AT(o, L.exc_args, obj *), d + 1);
    CLOSE;
    return;
  }
  if (sub & 0x80) {
    ROOM(5);
    W1(ITEM_TYPE);
    nstr(e, AT(o, TP_NAME, const char *));
    return;
  }
  if (t == FuncT) {
    ROOM(5);
    W1(ITEM_FUNCTION);
    val(e, AT(o, L.minor >= 11 ? 32 : 72, obj *), 7);
    return;
  }
  ROOM(24);
  if (!(fl & (1 << 9))) {
    W1(ITEM_OTHER);
    vi(e, ti);
    wn(e, (u64)o >> 4, 6);
    return;
  }
  W1(k == C_ENUM ? ITEM_ENUMERATION : ITEM_OBJECT);
  OPEN;
  vi(e, ti);
  wn(e, (u64)o >> 4, 6);
  if (d < maxdepth) attrs(e, o, t, d);
  CLOSE;
}
// one captured value: header word, bytes
static inline u32 capture(u64 *w, u32 used, obj *o) {
  if (!o) {
    w[used] = (u64)(IMMEDIATE_UNSET << 3) << 32;
    return used + 1;
  }
  if (o == None || o == TrueO || o == FalseO) {
    w[used] = (u64)((o == None    ? IMMEDIATE_NONE
                     : o == TrueO ? IMMEDIATE_TRUE
                                  : IMMEDIATE_FALSE)
                    << 3)
              << 32;
    return used + 1;
  }
  obj *t = o->type;
  unsigned long fl = AT(t, TP_FLAGS, unsigned long);
  if ((fl & (1 << 24)) && !(fl & (1 << 9))) {
    u32 *dg;
    int neg, nd = digits(o, &dg, &neg);
    if (nd == 0 || (nd == 1 && dg[0] < (1u << 23))) {
      int v = nd ? dg[0] : 0;
      if (neg) v = -v;
      w[used] = (u64)((IMMEDIATE_INTEGER << 3) | ((u32)v << 8)) << 32;
      return used + 1;
    }
  }
  if (used + 2 >= ROOMW) {
    w[used < ROOMW ? used : ROOMW - 1] = (u64)1 << 32;
    return used + 1;
  }
  enc E = {(unsigned char *)&w[used + 1], (unsigned char *)&w[ROOMW] - 16, {0}, 0};
  val(&E, o, 0);
  u32 n = E.p - (unsigned char *)&w[used + 1];
  memset(E.p, 0, 8);
  w[used] = n | (u64)(E.cut ? 1 : 0) << 32;
  return used + 1 + (n + 7) / 8;
}
// ---- functions
static Sz XI = -1;
static char *FILES[64], *NAMES[64];
static int nF, nN;
static int mon, dead;
static obj *DISABLE, *setlocal;
static int TOOL;
static long EV_[7];
static inline uintptr_t extra(obj *c) {
  Sz *x = AT(c, L.co_extra, Sz *);
  return (x && x[0] > XI) ? (uintptr_t)x[1 + XI] : 0;
}
static void freed(void *p) { (void)p; }
static const char *utf8(obj *s) {
  const char *r = PyUnicode_AsUTF8AndSize(s, 0);
  if (!r) {
    PyErr_Clear();
    return "";
  }
  return r;
}
static u32 file_number(const char *path) {
  static struct {
    char *path;
    u32 number;
  } known[256];
  static int count;
  for (int i = 0; i < count; i++)
    if (!strcmp(known[i].path, path)) return known[i].number;
  u32 n = define_file(path);
  if (count < 256) {
    known[count].path = strdup(path);
    known[count++].number = n;
  }
  return n;
}
static uintptr_t classify(obj *c) {
  const char *fn = utf8(AT(c, L.co_filename, obj *));
  const char *q = utf8(AT(c, L.co_qualname > 0 ? L.co_qualname : L.co_name, obj *));
  int ok = nF == 0;
  for (int i = 0; i < nF && !ok; i++) ok = !!strstr(fn, FILES[i]);
  if (ok && nN) {
    ok = 0;
    for (int i = 0; i < nN && !ok; i++) ok = !strcmp(q, NAMES[i]);
  }
  uintptr_t x = 1;
  if (ok) {
    int f = AT(c, L.co_flags, int),
        nc = AT(c, L.co_argcount, int) + AT(c, L.co_kwonly, int) + !!(f & 4) + !!(f & 8);
    if (nc > maxargs) nc = maxargs;
    obj *vn = AT(c, L.co_varnames, obj *);
    char names[2048];
    names[0] = 0;
    for (int i = 0; i < nc; i++) {
      if (i) strcat(names, " ");
      strncat(names, utf8(AT(vn, L.tuple_items + 8 * i, obj *)), 100);
    }
    u32 flags = (f & 0x20 ? FUNCTION_FLAG_GENERATOR : 0) |
                (f & 0x80 ? FUNCTION_FLAG_COROUTINE : 0) |
                (f & 0x200 ? FUNCTION_FLAG_ASYNC_GENERATOR : 0) |
                (strstr(q, "<lambda>") ? FUNCTION_FLAG_LAMBDA : 0) |
                (strcmp(q, "<module>") ? 0 : FUNCTION_FLAG_MODULE);
    u32 number = define_function(q, file_number(fn), AT(c, L.co_firstlineno, int), flags, names);
    if (number) x = (uintptr_t)number << 1;
  }
  if (SetExtra(c, XI, (void *)x)) PyErr_Clear();
  return x;
}
#define PTR(o) ((obj *)((uintptr_t)(o) & ~3ul))
static inline void r_call(uintptr_t x, obj *c, void *act, obj **loc, int kind) {
  u64 w[ROOMW + 1];
  u32 used = 0;
  if (!engine_takes(kind, x >> 1, (u64)act)) return;
  if (kind == EVENT_ENTER && loc) {
    int f = AT(c, L.co_flags, int);
    int n = AT(c, L.co_argcount, int) + AT(c, L.co_kwonly, int) + !!(f & 4) + !!(f & 8);
    if (n > maxargs) n = maxargs;
    char *kinds = L.co_kinds > 0 ? (char *)AT(c, L.co_kinds, obj *) + 32 : 0;
    for (int i = 0; i < n; i++) {
      obj *o = PTR(loc[i]);
      if (kinds) {
        if ((kinds[i] & 0x40) && o && o->type == CellT) o = AT(o, 16, obj *);
      } else if (!o) {
        Sz *c2a = AT(c, L.co_cell2arg, Sz *);
        if (c2a) {
          obj *cv = AT(c, L.co_ncell, obj *);
          Sz nc = AT(cv, 16, Sz);
          int nl = AT(c, L.co_nlocals, int);
          for (Sz j = 0; j < nc; j++)
            if (c2a[j] == i) {
              obj *ce = loc[nl + j];
              if (ce) o = AT(ce, 16, obj *);
            }
        }
      }
      used = capture(w, used, o);
      if (used >= ROOMW) break;
    }
  }
  engine_record(kind, x >> 1, (u64)act, w, used);
}
static inline void r_val(uintptr_t x, void *act, obj *v, int kind) {
  u64 w[ROOMW + 2];
  if (!engine_takes(kind, x >> 1, (u64)act)) return;
  u32 used = capture(w, 0, v);
  if (kind == EVENT_HANDLED) w[used++] = 0;
  engine_record(kind, x >> 1, (u64)act, w, used);
}
// ---- 3.12+
static inline obj *ret(obj *o) {
  if (L.minor < 12 || o != None) Py_IncRef(o);
  return o;
}
static inline char *curframe(void *ts) {
  return L.ts_cframe >= 0 ? AT(AT(ts, L.ts_cframe, char *), L.ts_frame, char *)
                          : AT(ts, L.ts_frame, char *);
}
static obj *m_start(obj *s, obj *const *a, Sz n) {
  obj *c = a[0];
  uintptr_t x = extra(c);
  if (__builtin_expect(!x, 0)) {
    if (dead) return ret(None);
    x = classify(c);
    if (!(x & 1)) {
      obj *r = PyObject_CallFunction(setlocal, "iOl", TOOL, c, EV_[0] | EV_[1] | EV_[2] | EV_[3]);
      if (!r) PyErr_Clear();
      else Py_DecRef(r);
    }
  }
  if (x & 1) return ret(DISABLE);
  if (dead) return ret(None);
  char *f = curframe(ThreadState());
  int ok = f && PTR(AT(f, L.if_code, obj *)) == c;
  r_call(x, c, f, ok ? (obj **)(f + L.if_locals) : 0, EVENT_ENTER);
  return ret(None);
}
#define SIMPLE(nm, kind, vi)                                     \
  static obj *nm(obj *s, obj *const *a, Sz n) {                  \
    uintptr_t x = extra(a[0]);                                   \
    if (!x || (x & 1) || dead) return ret(None);                 \
    r_val(x, curframe(ThreadState()), vi < n ? a[vi] : 0, kind); \
    return ret(None);                                            \
  }
SIMPLE(m_ret, EVENT_RETURN, 2)
SIMPLE(m_yield, EVENT_SUSPEND, 2)
SIMPLE(m_resume, EVENT_RESUME, 9)
SIMPLE(m_unwind, EVENT_UNWOUND, 2)
SIMPLE(m_handled, EVENT_HANDLED, 2) SIMPLE(m_throw, EVENT_THROW_IN, 2) typedef struct {
  const char *n;
  void *f;
  int fl;
  const char *d;
} mdef;
static mdef MD[] = {{"start", m_start, 0x80},   {"ret", m_ret, 0x80},
                    {"yield_", m_yield, 0x80},  {"resume", m_resume, 0x80},
                    {"unwind", m_unwind, 0x80}, {"handled", m_handled, 0x80},
                    {"throw", m_throw, 0x80}};
// ---- 3.9-3.11
static int prof(obj *o, char *fo, int what, obj *arg) {
  if (what != 0 && what != 3) return 0;
  char *f;
  obj *c;
  obj **loc;
  if (L.minor >= 11) {
    f = AT(fo, L.fo_frame, char *);
    c = PTR(AT(f, L.if_code, obj *));
    loc = (obj **)(f + L.if_locals);
  } else {
    f = fo;
    c = AT(fo, L.fo_code, obj *);
    loc = (obj **)(fo + L.fo_locals);
  }
  uintptr_t x = extra(c);
  if (__builtin_expect(!x, 0)) {
    if (dead) return 0;
    x = classify(c);
  }
  if ((x & 1) || dead) return 0;
  int gen = AT(c, L.co_flags, int) & 0x2a0;
  if (what == 0) {
    int resume = 0;
    if (gen) {
      if (L.minor >= 11) {
        int li = (AT(f, L.if_instr, char *) - ((char *)c + L.co_code)) / 2;
        resume = li > AT(c, L.co_ft, int) + 0;
      } else resume = AT(fo, L.fo_lasti, int) >= 0;
    }
    r_call(x, c, f, loc, resume ? EVENT_RESUME : EVENT_ENTER);
  } else {
    int k = arg ? EVENT_RETURN : EVENT_UNWOUND;
    if (arg && gen) {
      int y;
      if (L.minor >= 11) {
        y = AT(f, L.if_owner, char) == 1 && AT(f - L.gi_iframe, L.gi_state, signed char) == -1;
      } else if (L.minor == 10) y = AT(fo, L.fo_state, signed char) == -1;
      else y = AT(fo, L.fo_stacktop, void *) != 0;
      if (y) k = EVENT_SUSPEND;
    }
    r_val(x, f, arg, k);
  }
  return 0;
}
static obj *p_upgrade(obj *s, obj *const *a, Sz n) {
  void *ts = ThreadState();
  const char *ev = utf8(a[1]);
  int w = !strcmp(ev, "call") ? 0 : !strcmp(ev, "return") ? 3 : 9;
  _PyEval_SetProfile(ts, (void *)prof, 0);
  if (w != 9) prof(0, (char *)a[0], w, a[2]);
  Py_IncRef(None);
  return None;
}
static mdef UP = {"upgrade", p_upgrade, 0x80};
static void split(const char *s, char **out, int *n) {
  *n = 0;
  if (!s || !*s) return;
  char *d = strdup(s);
  for (char *p = strtok(d, ";"); p && *n < 64; p = strtok(0, ";")) out[(*n)++] = p;
}
// GIL held
int pt_start(const char *engine, const char *ring, const char *files, const char *names,
             u32 ring_bytes) {
  void *P = RTLD_DEFAULT;
#define X(r, n, a)                      \
  n = (void *)dlsym(P, #n);             \
  if (!n) {                             \
    fprintf(stderr, "pt: no %s\n", #n); \
    return -1;                          \
  }
  API
#undef X
      _PyEval_SetProfile = dlsym(P, "_PyEval_SetProfile");
  SetProfileAll = dlsym(P, "PyEval_SetProfileAllThreads");
  ThreadState = dlsym(P, "PyThreadState_GetUnchecked");
  if (!ThreadState) ThreadState = dlsym(P, "_PyThreadState_UncheckedGet");
  if (!ThreadState) return -1;
  int mj, mi;
  if (sscanf(Py_GetVersion(), "%d.%d", &mj, &mi) != 2 || mj != 3 || mi < 9 || mi > 15) return -2;
  L = LAY[mi];
  ReqExtra = dlsym(P, "PyUnstable_Eval_RequestCodeExtraIndex");
  if (!ReqExtra) ReqExtra = dlsym(P, "_PyEval_RequestCodeExtraIndex");
  SetExtra = dlsym(P, "PyUnstable_Code_SetExtra");
  if (!SetExtra) SetExtra = dlsym(P, "_PyCode_SetExtra");
  if (!ReqExtra || !SetExtra) return -3;
  None = dlsym(P, "_Py_NoneStruct");
  TrueO = dlsym(P, "_Py_TrueStruct");
  FalseO = dlsym(P, "_Py_FalseStruct");
  FloatT = dlsym(P, "PyFloat_Type");
  SetT = dlsym(P, "PySet_Type");
  FrozenT = dlsym(P, "PyFrozenSet_Type");
  CellT = dlsym(P, "PyCell_Type");
  FuncT = dlsym(P, "PyFunction_Type");
  engine_open(engine);
  int started = engine_begin(ring, 4, ring_bytes, ring_bytes);
  if (started) {
    fprintf(stderr, "pt: engine %d\n", started);
    return -5;
  }
  split(files, FILES, &nF);
  split(names, NAMES, &nN);
  if (XI < 0) XI = ReqExtra((void *)freed);
  if (XI < 0) return -6;
  dead = 0;
  if (mi >= 12) {
    mon = 1;
    obj *M = PySys_GetObject("monitoring");
    if (!M) return -7;
    TOOL = -1;
    int cand[] = {4, 3, 5, 2, 1, 0};
    for (int i = 0; i < 6 && TOOL < 0; i++) {
      obj *g = PyObject_GetAttrString(M, "get_tool");
      obj *r = PyObject_CallFunction(g, "i", cand[i]);
      Py_DecRef(g);
      if (r == None) {
        g = PyObject_GetAttrString(M, "use_tool_id");
        obj *q = PyObject_CallFunction(g, "is", cand[i], "strobe");
        Py_DecRef(g);
        if (q) {
          TOOL = cand[i];
          Py_DecRef(q);
        } else PyErr_Clear();
      }
      if (r) Py_DecRef(r);
    }
    if (TOOL < 0) return -8;
    DISABLE = PyObject_GetAttrString(M, "DISABLE");
    setlocal = PyObject_GetAttrString(M, "set_local_events");
    obj *ev = PyObject_GetAttrString(M, "events");
    const char *EN[] = {"PY_START",  "PY_RETURN",         "PY_YIELD", "PY_RESUME",
                        "PY_UNWIND", "EXCEPTION_HANDLED", "PY_THROW"};
    obj *reg = PyObject_GetAttrString(M, "register_callback");
    for (int i = 0; i < 7; i++) {
      obj *v = PyObject_GetAttrString(ev, EN[i]);
      EV_[i] = PyLong_AsSsize_t(v);
      obj *f = PyCFunction_NewEx(&MD[i], 0, 0);
      obj *r = PyObject_CallFunction(reg, "ilO", TOOL, EV_[i], f);
      if (!r) {
        PyErr_Print();
        return -9;
      }
    }
    obj *se = PyObject_GetAttrString(M, "set_events");
    obj *r =
        PyObject_CallFunction(se, "il", TOOL, EV_[0] | (mi >= 15 ? 0 : EV_[4] | EV_[5] | EV_[6]));
    if (!r) {
      PyErr_Print();
      return -10;
    }
    return 0;
  }
  if (SetProfileAll) {
    SetProfileAll((void *)prof, 0);
  } else
    for (void *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Head()); ts;
         ts = PyThreadState_Next(ts))
      _PyEval_SetProfile(ts, (void *)prof, 0);
  obj *up = PyCFunction_NewEx(&UP, 0, 0);
  obj *th = PyImport_ImportModule("threading");
  if (!th) {
    PyErr_Clear();
    return 0;
  }
  obj *sp = PyObject_GetAttrString(th, "setprofile");
  obj *r = PyObject_CallFunction(sp, "O", up);
  if (!r) PyErr_Clear();
  return 0;
}
int pt_stop(void) {
  dead = 1;
  if (mon) {
    obj *M = PySys_GetObject("monitoring");
    obj *se = PyObject_GetAttrString(M, "set_events");
    obj *r = PyObject_CallFunction(se, "il", TOOL, 0L);
    if (!r) PyErr_Clear();
    se = PyObject_GetAttrString(M, "free_tool_id");
    r = PyObject_CallFunction(se, "i", TOOL);
    if (!r) PyErr_Clear();
  } else {
    if (SetProfileAll) SetProfileAll(0, 0);
    else
      for (void *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Head()); ts;
           ts = PyThreadState_Next(ts))
        _PyEval_SetProfile(ts, 0, 0);
    obj *th = PyImport_ImportModule("threading");
    obj *sp = PyObject_GetAttrString(th, "setprofile");
    obj *r = PyObject_CallFunction(sp, "O", None);
    if (!r) PyErr_Clear();
  }
  return 0;
}
