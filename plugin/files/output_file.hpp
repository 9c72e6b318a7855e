#pragma once
// Files that are written whole or not at all, also by pieces; the errors of that, and the free
// space on a disk.

#include "plugin/base/error.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace lowtide::files {

/// What writeError() gives: a caller that knows where its folder is chosen can name it.
class WriteError : public Error {
public:
    using Error::Error;
};

enum class Attempt : uint8_t { Write, MakeFolder };

/// The error of a `path` that could not be written or made: Device when the disk is full or fails,
/// else InvalidInput. Names the last part of the path and of its folder, as they were given.
[[nodiscard]] WriteError writeError(Attempt attempt, const std::string& path, std::error_code code);

/// Error{Device} of a file that its disk has no space for, with the same parts of the path.
[[nodiscard]] Error noSpaceError(const std::string& path, Bytes bytes, Bytes free);

/// Bytes that a file at that path may take, by its file system; nothing where that states none.
using FreeBytes = std::function<std::optional<Bytes>(const std::string& path)>;

/// What the file system of the path's folder leaves to this user.
[[nodiscard]] std::optional<Bytes> freeBytesAt(const std::string& path);

/// Refuses a file of so many bytes where they are not free: one that it replaces is kept until the
/// new one is whole. Error{Device} states both sizes.
void requireSpace(const std::string& path, Bytes bytes, const FreeBytes& freeBytes = freeBytesAt);

/// Writes a file that appears whole or not at all: a temporary file next to it, flushed to disk,
/// then renamed. A file of that name is replaced.
/// Errors: Error{InvalidInput} when the folder cannot be written (states which and why),
/// Error{Device} when the disk is full or fails. Messages name only the last parts of the path.
class OutputFile {
public:
    explicit OutputFile(std::string path);
    /// Removes the temporary file when commit() was not reached.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Where another program may write the file instead, before commit(); it is there, and empty.
    [[nodiscard]] const std::string& temporary() const;
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    /// Gives the file its name. Nothing can be written afterwards.
    void commit();
    /// The same, but nothing is replaced: while something has the name, the file gets the one that
    /// `next` returns. Gives the name that it got, which nobody else has got.
    [[nodiscard]] std::string commitAsNew(const std::function<std::string()>& next);

private:
    void end();

    struct State;
    std::unique_ptr<State> state_;
};

/// The whole of a small file at once.
void writeFileAtomically(const std::string& path, std::string_view bytes);
/// The same under the first name that `next` returns and nothing has yet (commitAsNew); that name.
[[nodiscard]] std::string writeNewFile(const std::function<std::string()>& next,
                                       std::string_view bytes);
/// Makes the folder and its parents; one that exists is fine. Error{InvalidInput} with the reason.
void makeFolders(const std::string& path);

/// Fills `piece` with the bytes of a tensor from byte `offset` on. Called front to back, for whole
/// blocks of the tensor's type, at most kReadPiece bytes each.
using FillPiece = std::function<void(std::span<std::byte> piece, Bytes offset)>;

/// Writes `total` bytes, whole blocks of `block` bytes at once. Error{Cancelled} between pieces;
/// and the errors of `fill` and OutputFile.
void writePieces(
    OutputFile& file, Bytes total, Bytes block, const FillPiece& fill, const StopToken& stop);

}  // namespace lowtide::files
