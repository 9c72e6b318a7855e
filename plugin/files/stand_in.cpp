#include "plugin/files/stand_in.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>

namespace lowtide::files {

namespace {

/// Begins the first line of a pointer, and the address in it.
constexpr std::string_view kLfsVersion = "version";
constexpr std::string_view kLfsSpec = "git-lfs.github.com";
constexpr std::string_view kPages[] = {"<!doctype", "<html", "<head", "<?xml"};
/// Of what holds no text: a server's JSON, which says why it sent no file.
constexpr std::string_view kAnswer = "{\"";
constexpr Bytes kLooked = 256;

std::string_view withoutLead(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text;
}

}  // namespace

void refuseStandIn(std::string_view text, const std::string& what) {
    const std::string_view start = withoutLead(text.substr(0, static_cast<size_t>(kLooked)));
    const std::string_view line = start.substr(0, start.find('\n'));
    if (line.starts_with(kLfsVersion) && line.find(kLfsSpec) != line.npos) {
        throw Error(ErrorKind::Corrupt,
                    what + " is a pointer of git LFS, not the file that it stands for",
                    "run git lfs pull in its folder, or download the file itself");
    }
    const std::string lower = toLower(std::string(start));
    if (std::any_of(std::begin(kPages), std::end(kPages), [&](std::string_view page) {
            return lower.starts_with(page);
        })) {
        throw Error(ErrorKind::Corrupt,
                    what + " is a page of a server (HTML), not the file",
                    "download it again; some files need a login, or a link of their own");
    }
}

void refuseStandIn(const ReadableBytes& bytes) {
    std::string start(static_cast<size_t>(std::min(bytes.size(), kLooked)), '\0');
    bytes.read(std::as_writable_bytes(std::span(start)), 0);
    const std::string what = quotedName(bytes.name());
    refuseStandIn(start, what);
    if (withoutLead(start).starts_with(kAnswer)) {
        throw Error(ErrorKind::Corrupt,
                    what + " is a text (JSON), not a file of weights",
                    "if a server sent it, open it to see why; download the file again");
    }
}

}  // namespace lowtide::files
