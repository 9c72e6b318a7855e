#pragma once
// Bytes from outside for readers of formats: a file or memory, little-endian numbers, and cursors
// that never run past their end.

#include "plugin/base/message.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::files {

/// The number that 1 to 8 bytes hold, the lowest byte first.
[[nodiscard]] uint64_t fromLittleEndian(std::string_view bytes) noexcept;
/// The other way: so many bytes, 1 to 8; higher ones are dropped.
[[nodiscard]] std::string toLittleEndian(uint64_t number, int byteCount);

/// Bytes that a reader of a format looks at by position: an open file, or memory (tests, fuzzing).
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
[[noreturn]] void refuseDamaged(const Message& subject, const Message& problem);
[[noreturn]] void refuseDamaged(const std::string& subject, const Message& problem);

/// Walks over bytes from outside, front to back, never past their end.
class ByteCursor {
public:
    /// `subject` begins the messages: "\"model.ckpt\", data.pkl".
    ByteCursor(std::span<const std::byte> bytes, std::string subject);

    /// A little-endian number of 1 to 8 bytes. Error{Corrupt} where the bytes end, here and below.
    [[nodiscard]] uint64_t number(int byteCount);
    /// The same, with a sign.
    [[nodiscard]] int64_t signedNumber(int byteCount);
    [[nodiscard]] std::string_view text(uint64_t byteCount);
    /// The text up to the next line feed, which is passed over.
    [[nodiscard]] std::string_view line();

    void skip(uint64_t byteCount) { (void)text(byteCount); }

    [[nodiscard]] size_t position() const { return position_; }

    [[nodiscard]] bool isAtEnd() const { return position_ == bytes_.size(); }

private:
    std::span<const std::byte> bytes_;
    size_t position_ = 0;
    std::string subject_;
};

/// Error{Corrupt} of bytes that end too early: at `size`, where `wanted` more are to follow
/// `position`.
[[noreturn]] void refuseEnd(const std::string& subject,
                            uint64_t size,
                            uint64_t wanted,
                            uint64_t position);

/// Walks over the front of a file whose end is not known ahead, reading it in pieces of 64 KiB.
/// Never takes memory that the file cannot fill.
class PieceCursor {
public:
    /// `bytes` must outlive it. `subject` begins the messages. What lies behind byte `limit` is
    /// refused: Error{Corrupt}, as where the bytes end.
    PieceCursor(const ReadableBytes& bytes, std::string subject, Bytes limit);

    /// A little-endian number of 1 to 8 bytes.
    [[nodiscard]] uint64_t number(int byteCount);
    [[nodiscard]] std::string text(uint64_t byteCount);

    [[nodiscard]] Bytes position() const { return position_; }

    /// Bytes from here to the end of the file.
    [[nodiscard]] uint64_t left() const { return static_cast<uint64_t>(bytes_.size() - position_); }

    [[nodiscard]] const std::string& subject() const { return subject_; }

private:
    void readPiece();

    const ReadableBytes& bytes_;
    std::string subject_;
    Bytes limit_ = 0;
    Bytes position_ = 0;
    std::string piece_;
    Bytes pieceStart_ = 0;
};

}  // namespace lowtide::files
