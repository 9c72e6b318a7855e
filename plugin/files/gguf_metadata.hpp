#pragma once

#include "plugin/files/gguf_value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::files {

/// Keys and values in the order of the file. The getters are empty where the key is absent; a value
/// of another type is Error{Corrupt} that names file, key and type.
class GgufMetadata {
public:
    using Entry = std::pair<std::string, GgufValue>;

    GgufMetadata() = default;
    /// `subject` begins the messages: "\"model.gguf\"".
    explicit GgufMetadata(std::string subject);

    /// Replaces the value of a key that is there, else appends.
    void set(const std::string& key, GgufValue value);

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    /// nullptr when the key is absent.
    [[nodiscard]] const GgufValue* find(std::string_view key) const;

    /// Of any integer type, to 2^63 - 1.
    [[nodiscard]] std::optional<int64_t> integer(std::string_view key) const;
    /// Of any number type.
    [[nodiscard]] std::optional<double> number(std::string_view key) const;
    [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
    /// Any bytes, as GgufValue::text().
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
    /// An array, not a single value; here and below.
    [[nodiscard]] std::optional<std::vector<int64_t>> integers(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<std::string>> texts(std::string_view key) const;

private:
    std::string subject_ = "GGUF metadata";
    std::vector<Entry> entries_;
    std::map<std::string, size_t, std::less<>> places_;
};

}  // namespace lowtide::files
