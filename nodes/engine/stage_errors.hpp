#pragma once

#include <string_view>

namespace lowtide::nodes {

/// Call inside a catch block: throws what is being handled as lowtide::Error. Errors of ours are
/// passed on as they are; those of the tensor library and the standard library become one line
/// without backtrace and build paths, out of memory with the bytes asked for.
[[noreturn]] void rethrowAsError(std::string_view stage);

/// Runs a stage; whatever it throws leaves as lowtide::Error.
template <class Work>
auto withErrorsOf(std::string_view stage, Work&& work) {
    try {
        return work();
    } catch (...) {
        rethrowAsError(stage);
    }
}

}  // namespace lowtide::nodes
