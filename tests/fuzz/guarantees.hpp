#pragma once
// What every reader of bytes from outside guarantees, and how a target reports that one is broken.

#include "plugin/base/error.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide::fuzz {

/// A guarantee that an input broke. No std::exception, so that no reader can swallow it.
struct Broken {
    std::string guarantee;
};

/// Throws Broken unless `holds`.
void require(bool holds, std::string_view guarantee);
/// Of this project, for the files that come with it.
[[nodiscard]] std::string sourceFolder();
/// An error that a user can read: of one of `kinds`, in UTF-8, no longer than a screen.
void requireReadable(const Error& error, std::initializer_list<ErrorKind> kinds);

/// Runs `call`: true when it returned, false when it ended with a readable error of `kinds`.
template <class Call>
[[nodiscard]] bool takes(std::initializer_list<ErrorKind> kinds, Call&& call) {
    try {
        std::forward<Call>(call)();
        return true;
    } catch (const Error& error) {
        requireReadable(error, kinds);
        return false;
    }
}

}  // namespace lowtide::fuzz
