/*
 * better-sqlite3 keeps references to strings, which Node-API allows from version 10 on (Node 22.14). With version 9 such a
 * reference keeps the text, and makes a string of it at each use. Included ahead of the package's own source.
 */
#pragma once

#include <string>

#include <napi.h>

namespace Napi {

template <> class Reference<String> {
  public:
    static Reference New(const String &value, uint32_t /* count */) {
        Reference reference;
        reference.env_ = value.Env();
        reference.text_ = value.Utf8Value();
        return reference;
    }

    String Value() const {
        return String::New(env_, text_);
    }

  private:
    napi_env env_ = nullptr;
    std::string text_;
};

} // namespace Napi
