#pragma once

#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace lowtide::files {

/// Bytes that a reader of a format looks at by place: an open file, or memory (tests, fuzzing).
class ReadableBytes {
public:
    virtual ~ReadableBytes() = default;

    /// What messages call it.
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual Bytes size() const = 0;
    /// Reads exactly [offset, offset + target.size()). Error{Corrupt} when that is not inside.
    virtual void read(std::span<std::byte> target, Bytes offset) const = 0;
};

/// A file, which must outlive it.
class FileBytes final : public ReadableBytes {
public:
    explicit FileBytes(const InputFile& file) : file_(file) {}

    [[nodiscard]] std::string name() const override { return file_.name(); }

    [[nodiscard]] Bytes size() const override { return file_.identity().size; }

    void read(std::span<std::byte> target, Bytes offset) const override {
        file_.read(target, offset);
    }

private:
    const InputFile& file_;
};

/// Memory, which must outlive it.
class MemoryBytes final : public ReadableBytes {
public:
    MemoryBytes(std::span<const std::byte> bytes, std::string name);

    [[nodiscard]] std::string name() const override { return name_; }

    [[nodiscard]] Bytes size() const override { return static_cast<Bytes>(bytes_.size()); }

    void read(std::span<std::byte> target, Bytes offset) const override;

private:
    std::span<const std::byte> bytes_;
    std::string name_;
};

/// Throws Error{Corrupt} of bytes that contradict their format, with the advice to copy the file
/// again. `subject` begins the message.
[[noreturn]] void refuseDamaged(const std::string& subject, const std::string& problem);

}  // namespace lowtide::files
