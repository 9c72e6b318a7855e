#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lowtide {

/// SHA-256 of a stream of fields. Every field is hashed with its length, so ("ab","c") and
/// ("a","bc") differ.
class Hasher {
public:
    Hasher();
    ~Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    Hasher& add(std::string_view text);
    Hasher& add(int64_t number);
    /// Bytes without a length in front: for the contents of files.
    Hasher& addRaw(std::span<const std::byte> bytes);
    /// 64 lower-case hexadecimal digits. The hasher is spent afterwards.
    [[nodiscard]] std::string hexDigest();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// SHA-256 of the bytes of `text` alone, as sha256sum prints it.
[[nodiscard]] std::string sha256Hex(std::string_view text);

}  // namespace lowtide
