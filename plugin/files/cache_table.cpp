#include "plugin/files/cache_table.hpp"

#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/os.hpp"
#include "plugin/files/output_file.hpp"

#include <chrono>
#include <filesystem>
#include <thread>

namespace lowtide::files {

namespace {

constexpr Phrase kCacheFolderHint = phrase("set LOWTIDE_CACHE to a folder that can be written");

/// Others wait while it lives: until the table has not changed for 30 seconds, since a process that
/// was stopped would hold the lock for ever, and an entry of a cache is not worth that. A busy disk
/// takes several seconds for one change. A file system without locks has one writer. A stop ends
/// the waiting, and nothing else: where nobody has the lock, the table is changed all the same.
class TableLock {
public:
    TableLock(const std::string& path, const std::string& table, const StopToken& stop) {
        using Clock = std::chrono::steady_clock;
        constexpr auto kPatience = std::chrono::seconds(30);
        constexpr auto kPoll = std::chrono::milliseconds(2);
        std::error_code none;
        auto changed = std::filesystem::last_write_time(table, none);
        auto end = Clock::now() + kPatience;
        while (os::openLocked(path, file_) == std::errc::resource_unavailable_try_again &&
               Clock::now() < end) {
            stop.throwIfStopped();
            std::this_thread::sleep_for(kPoll);
            if (const auto now = std::filesystem::last_write_time(table, none); now != changed) {
                changed = now;
                end = Clock::now() + kPatience;
            }
        }
    }

private:
    os::Descriptor file_;
};

}  // namespace

void withCacheFolderHint(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        throw error.kind() == ErrorKind::InvalidInput
            ? Error(error.kind(), error.message(), kCacheFolderHint, error.item())
            : error;
    }
}

Json CacheTable::entries() const {
    std::error_code failure;
    if (folder_.empty() || !std::filesystem::exists(path(), failure)) {
        return nullptr;
    }
    Json json = parseJson(InputFile(path()).readAll(form_.largest), form_.file);
    const JsonReader reader(json, form_.file);
    if (reader.integer("format") != form_.format) {
        throw Error(ErrorKind::Corrupt,
                    message("{} was written by another version of this program", form_.file));
    }
    const Json* entries = reader.member(form_.member);
    if (!entries || !(form_.mostEntries > 0 ? entries->is_array() : entries->is_object())) {
        throw Error(ErrorKind::Corrupt, message("{}: there are no {}", form_.file, form_.member));
    }
    return *entries;
}

void CacheTable::requireWritable() const {
    if (folder_.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is no folder to keep {} in", form_.member),
                    message("set HOME, or LOWTIDE_CACHE to a folder"));
    }
    withCacheFolderHint([&] {
        makeFolders(folder_);
        OutputFile probe(path());  // never committed: it goes with this scope
        probe.write(" ");
    });
}

void CacheTable::change(const std::function<void(Json& entries)>& edit,
                        const StopToken& stop) const {
    requireWritable();
    const TableLock lock(
        (std::filesystem::path(folder_) / ("." + std::string(form_.file) + ".lock")).string(),
        path(),
        stop);
    Json entries = entriesOrNull();
    edit(entries);
    while (entries.is_array() && entries.size() > form_.mostEntries) {
        entries.erase(entries.begin());
    }
    writeFileAtomically(path(),
                        Json{{"format", form_.format}, {form_.member, std::move(entries)}}.dump(
                            2, ' ', false, Json::error_handler_t::replace) +
                            "\n");
}

void CacheTable::put(const Json& entry,
                     const std::function<bool(const Json& other)>& isReplaced,
                     const StopToken& stop) const {
    change(
        [&](Json& entries) {
            Json kept = Json::array();
            try {
                for (Json& other : entries) {
                    if (!isReplaced(other)) {
                        kept.push_back(std::move(other));
                    }
                }
            } catch (const Error&) {
                kept.clear();
            }
            kept.push_back(entry);
            entries = std::move(kept);
        },
        stop);
}

std::string CacheTable::path() const {
    return (std::filesystem::path(folder_) / form_.file).string();
}

/// Absent or damaged: nothing in it can be kept. A disk that fails for now throws.
Json CacheTable::entriesOrNull() const {
    try {
        return entries();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Corrupt) {
            throw;
        }
        return nullptr;
    }
}

}  // namespace lowtide::files
