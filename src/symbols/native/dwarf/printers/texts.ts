import type { Printer } from './printer.ts';

const units = [
  [/^basic_string(?:_view)?<wchar_t/, 4],
  [/^basic_string(?:_view)?<char32_t/, 4],
  [/^basic_string(?:_view)?<char16_t/, 2],
] as const;

/** Strings of wide characters; those of bytes are in containers.ts. */
export const wideStrings: Printer = {
  names: /^basic_string(?:_view)?<(?:wchar_t|char16_t|char32_t|char8_t)/,
  shape(view) {
    const isView = view.name.startsWith('basic_string_view');
    const pointer =
      view.word('_M_p') ?? view.word('_M_str') ?? (isView ? view.word('__data') : null);
    const length =
      view.word('_M_string_length') ?? view.word('_M_len') ?? (isView ? view.word('__size') : null);
    if (pointer === null || length === null) return null;
    const unit = units.find(([names]) => names.test(view.name))?.[1];
    const { name, bytes } = view;
    return { kind: 'text', name, bytes, pointer, length, ...(unit ? { unit } : {}) };
  },
};

/** libstdc++'s std::bitset. */
export const bitsets: Printer = {
  names: /^bitset</,
  shape(view) {
    const count = Number(/^bitset<(\d+)/.exec(view.name)?.[1] ?? 0);
    const { name, bytes } = view;
    return count > 0 && count <= bytes * 8 ? { kind: 'bitset', name, bytes, count } : null;
  },
};

/** libstdc++'s text in an exception, which is shared and ends with a NUL. */
export const sharedTexts: Printer = {
  names: /^__cow_string$/,
  shape(view) {
    const pointer = view.word('_M_p');
    if (pointer === null) return null;
    return { kind: 'text', name: view.name, bytes: view.bytes, pointer, length: null };
  },
};

const withText =
  /^(?:logic_error|invalid_argument|domain_error|length_error|out_of_range|runtime_error|range_error|overflow_error|underflow_error|system_error)$/;

/**
 * libstdc++'s exceptions, which programs only know by declaration: a vtable's address, then in some that of a
 * text. Those derived from them in the library add at most an error code.
 */
export const exceptions: Printer = {
  names: new RegExp(
    `${withText.source}|^(?:exception|bad_alloc|bad_cast|bad_typeid|bad_exception|bad_array_new_length|bad_function_call)$`,
  ),
  shape(view) {
    const { name, building } = view;
    const record = { kind: 'record', name, left: 0, vtable: 0 } as const;
    if (!withText.test(name)) return { ...record, bytes: 8, fields: [] };
    const text = building.add({ kind: 'text', name: 'what', bytes: 8, pointer: 0, length: null });
    return { ...record, bytes: 16, fields: [{ name: 'what', offset: 8, shape: text }] };
  },
};

/** Rust's Rc<str>, Arc<Path> and such, which keep two counts before the text, and text that ends with a NUL. */
export const rustTexts: Printer = {
  names:
    /^(?:(?:Rc|Arc)<(?:str|std::(?:path::Path|ffi::os_str::OsStr)),|&(?:mut )?core::ffi::c_str::CStr$|CString$)/,
  shape(view) {
    const { name, bytes } = view;
    const pointer = view.word('data_ptr');
    const length = view.word('length');
    if (pointer === null || length === null) return null;
    return /^(?:Rc|Arc)</.test(name)
      ? { kind: 'text', name, bytes, pointer, length, skip: 16 }
      : { kind: 'text', name, bytes, pointer, length: null };
  },
};
