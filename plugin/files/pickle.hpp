#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::files {

enum class PickleKind : uint8_t {
    None,
    Bool,
    Integer,
    Real,
    Text,
    Tuple,
    List,
    Dict,        ///< items are key, value, key, value, ...
    Global,      ///< text is "module name"
    Persistent,  ///< items hold what stands for an object outside of the pickle
    Made,        ///< text is the global that was called, items: its arguments, a tuple; its states
    Other,       ///< a value that no checkpoint's weights need
};

/// One value; others are named by their index in Pickle::values.
struct PickleValue {
    PickleKind kind = PickleKind::None;
    int64_t integer = 0;
    double real = 0;
    std::string text{};
    std::vector<uint32_t> items{};
};

/// What a pickle holds. Values may name each other in circles.
struct Pickle {
    std::vector<PickleValue> values;
    uint32_t root = 0;
    size_t bytes = 0;  ///< that it takes; more may follow
};

/// How much a pickle may ask for; a checkpoint of 100000 tensors remains below.
struct PickleLimits {
    size_t values = size_t{1} << 21;
    size_t items = size_t{1} << 23;  ///< entries of tuples, lists and dicts together
    size_t stack = size_t{1} << 20;
    size_t memo = size_t{1} << 21;
};

/// Reads a pickle of protocol 2 to 5 without running anything: a call is written down, not made.
/// Globals that are not in `allowed` ("module name") are refused by name, and so are all
/// operations that torch.save does not write. "collections OrderedDict" is a dict.
/// Error{Corrupt}, Error{Unsupported} name the operation and its byte; `what` begins the message.
/// Source: CPython's pickletools, protocol 5.
[[nodiscard]] Pickle readPickle(std::span<const std::byte> bytes,
                                const std::string& what,
                                std::span<const std::string_view> allowed,
                                const PickleLimits& limits = {});

}  // namespace lowtide::files
