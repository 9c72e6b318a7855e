#include "plugin/executor/kept_values.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/files/cache_table.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <utility>

namespace lowtide::executor {

namespace {

namespace fs = std::filesystem;

/// A temporary file older than this belongs to a process that was ended while it wrote.
constexpr std::chrono::hours kAbandoned(1);

struct KeptFile {
    fs::path path;
    fs::file_time_type lastUse;
    Bytes bytes = 0;
};

bool isAbandoned(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    std::error_code failure;
    return name.starts_with('.') && name.ends_with(".tmp") &&
           isKeptFileName(std::string_view(name).substr(1, name.rfind('.', name.size() - 5) - 1)) &&
           entry.last_write_time(failure) < fs::file_time_type::clock::now() - kAbandoned;
}

/// Our files in a folder. What another process takes away meanwhile is left out.
std::vector<KeptFile> keptFilesIn(const std::string& folder) {
    std::vector<KeptFile> found;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
        if (isAbandoned(entry)) {
            fs::remove(entry.path(), failure);
        }
        if (!isKeptFileName(entry.path().filename().string())) {
            continue;
        }
        const fs::file_time_type lastUse = entry.last_write_time(failure);
        const auto bytes = failure ? 0 : static_cast<Bytes>(entry.file_size(failure));
        if (!failure) {
            found.push_back({entry.path(), lastUse, bytes});
        }
        failure.clear();
    }
    return found;
}

void noteUse(const std::string& path) {
    std::error_code ignored;  // at worst the file goes too early
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

Bytes bytesOf(const memory::EncodedValue& value) {
    Bytes bytes = static_cast<Bytes>(value.metadata.dump().size());
    for (const auto& [name, tensor] : value.tensors) {
        bytes += static_cast<Bytes>(tensor.bytes.size());
    }
    return bytes;
}

/// A disk that fails for a moment, or a full table of open files, costs no kept result.
bool canBeRead(const std::string& path) {
    try {
        const files::InputFile file(path);
        static_cast<void>(files::sha256OfRange(file, 0, file.identity().size));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

bool isTheFiles(const Error& error, const std::string& path) {
    const bool isRefused =
        error.kind() == ErrorKind::Corrupt || error.kind() == ErrorKind::Unsupported;
    return isRefused && canBeRead(path);
}

}  // namespace

void requireWithinLimit(Bytes bytes, Bytes limit) {
    if (bytes > limit) {
        throw Error(ErrorKind::InvalidInput,
                    message("the value has {}, the limit of kept results is {}",
                            formatBytes(bytes),
                            formatBytes(limit)),
                    message("raise the limit"),
                    "limit");
    }
}

DiskCache::DiskCache(std::string folder, memory::ValueCodecs codecs)
    : folder_(std::move(folder)), codecs_(std::move(codecs)) {}

std::string DiskCache::pathOf(const KeptName& name) const {
    return (fs::path(folder_) / fileNameOf(name)).string();
}

const memory::ValueCodec* DiskCache::codecFor(std::string_view type) const {
    const auto found = std::find_if(
        codecs_.begin(), codecs_.end(), [&](const auto& codec) { return codec->type() == type; });
    return found == codecs_.end() ? nullptr : found->get();
}

memory::WireRef DiskCache::find(const KeptName& name, std::string_view type) {
    const memory::ValueCodec* codec = codecFor(type);
    const std::string path = pathOf(name);
    std::error_code failure;
    if (folder_.empty() || !codec || !fs::exists(path, failure)) {
        return nullptr;
    }

    try {
        memory::WireRef value = codec->decode(readKeptFile(path, name, type));
        noteUse(path);
        return value;
    } catch (const Error& error) {
        if (isTheFiles(error, path)) {
            fs::remove(path, failure);
        }
        throw;
    }
}

Bytes DiskCache::put(const KeptName& name, const memory::WireRef& value, Bytes limit) {
    const memory::ValueCodec* codec = codecFor(value->type());
    if (folder_.empty() || !codec) {
        throw Error(
            ErrorKind::Unsupported,
            folder_.empty() ? message("there is no folder for kept results")
                            : message("a value of type {} cannot be kept on disk", value->type()),
            folder_.empty() ? message("set LOWTIDE_CACHE to a folder, or choose Memory there")
                            : message("choose Memory there"));
    }
    const std::string path = pathOf(name);
    std::error_code failure;
    if (const auto known = fs::file_size(path, failure); !failure) {
        noteUse(path);
        return static_cast<Bytes>(known);
    }
    const memory::EncodedValue encoded = codec->encode(value);
    requireWithinLimit(bytesOf(encoded), limit);
    files::withCacheFolderHint([&] {
        files::makeFolders(folder_);
        makeSpace(limit - bytesOf(encoded));
        writeKeptFile(path, name, value->type(), encoded);
    });
    makeSpace(limit);  // the header counts too, and other processes write
    const auto written = fs::file_size(path, failure);
    return failure ? 0 : static_cast<Bytes>(written);
}

void DiskCache::makeSpace(Bytes limit) const {
    std::vector<KeptFile> files = keptFilesIn(folder_);
    std::sort(files.begin(), files.end(), [](const KeptFile& a, const KeptFile& b) {
        return a.lastUse < b.lastUse;
    });
    Bytes total = 0;
    for (const KeptFile& file : files) {
        total += file.bytes;
    }
    for (const KeptFile& file : files) {
        if (total <= limit) {
            return;
        }
        std::error_code ignored;  // another process may have removed it
        fs::remove(file.path, ignored);
        total -= file.bytes;
    }
}

KeptValues::KeptValues(const graph::Snapshot& snapshot,
                       const GraphSpec& graphSpec,
                       ResultCache& cache,
                       DiskCache& disk,
                       memory::Ledger& ledger)
    : snapshot_(snapshot), graphSpec_(graphSpec), disk_(disk), ledger_(ledger) {
    std::set<std::string, std::less<>> pinned;
    Bytes limit = 0;
    for (size_t node = 0; node < snapshot.nodes.size(); ++node) {
        const auto& request = graphSpec.work[node].keep;
        const NodeDesc& desc = *snapshot.nodes[node].desc;
        if (!request) {
            continue;
        }
        LOWTIDE_ASSERT(desc.control && !desc.outputs.empty());
        const auto source = graph::behindControl(snapshot, {node, desc.outputs.front().id});
        if (!source) {
            continue;
        }
        keepers_.push_back({node, *request, *source});
        if (request->target == KeepTarget::Memory) {
            pinned.insert(graphSpec.keys[source->node]);
            limit = std::max(limit, request->limit);
        }
    }
    // The graph has these nodes, and none that keeps what they make any more.
    std::set<std::string, std::less<>> ended(graphSpec.keys.begin(), graphSpec.keys.end());
    cache.pin(std::move(pinned), limit, ended);
}

std::shared_ptr<const CachedResult> KeptValues::find(size_t node,
                                                     const std::set<std::string>& ports) {
    std::vector<const Keeper*> keepers;
    for (const std::string& port : ports) {
        const auto keeper = std::find_if(keepers_.begin(), keepers_.end(), [&](const Keeper& each) {
            return each.request.target == KeepTarget::Disk && each.source.node == node &&
                   each.source.port == port;
        });
        if (keeper == keepers_.end()) {
            return nullptr;
        }
        keepers.push_back(&*keeper);
    }
    auto result = std::make_shared<CachedResult>();
    for (const Keeper* keeper : keepers) {
        lookUp(*keeper, *result);
    }
    if (keepers.empty() || result->outputs.size() < keepers.size()) {
        return nullptr;
    }
    for (const Keeper* keeper : keepers) {
        report(*keeper, "found", result->outputs.at(keeper->source.port)->bytesOn(kHostDevice));
    }
    return result;
}

/// Adds the kept value, if there is one that can be used.
void KeptValues::lookUp(const Keeper& keeper, CachedResult& result) {
    const graph::SnapshotNode& node = snapshot_.nodes[keeper.source.node];
    const std::string& port = keeper.source.port;
    const std::string& type = graph::findOutput(*node.desc, port)->type;
    memory::WireRef value;
    std::optional<Issue> issue = attempt(snapshot_.nodes[keeper.position].id, [&] {
        value = disk_.find({graphSpec_.keys[keeper.source.node], port}, type);
    });
    // Another process may have removed the file between its name and its contents.
    if (issue && issue->code != codeOf(ErrorKind::NotFound)) {
        warn(std::move(*issue));
    }
    if (value) {
        const std::array<std::string, 1> host = {kHostDevice};
        result.charges.push_back(std::make_unique<LedgerCharge>(
            ledger_, memory::Tag::Cache, node.id + "." + port, *value, host));
        result.outputs.emplace(port, std::move(value));
    }
}

void KeptValues::keep(size_t keeper, const memory::WireRef& value) {
    for (const Keeper& each : keepers_) {
        if (each.position != keeper) {
            continue;
        }
        Bytes bytes = 0;
        std::optional<Issue> issue =
            attempt(snapshot_.nodes[keeper].id, [&] { bytes = store(each, value->onHost()); });
        issue ? warn(std::move(*issue)) : report(each, "kept", bytes);
    }
}

Bytes KeptValues::store(const Keeper& keeper, const memory::WireRef& value) {
    if (keeper.request.target == KeepTarget::Disk) {
        return disk_.put(
            {graphSpec_.keys[keeper.source.node], keeper.source.port}, value, keeper.request.limit);
    }
    const Bytes bytes = value->bytesOn(kHostDevice);
    requireWithinLimit(bytes, keeper.request.limit);
    return bytes;
}

void KeptValues::warn(Issue issue) {
    issue.severity = Severity::Warning;
    issue.code = "result_not_kept";
    issues_.push_back(std::move(issue));
}

void KeptValues::report(const Keeper& keeper, const char* action, Bytes bytes) {
    reports_.push_back({{"node", snapshot_.nodes[keeper.position].id},
                        {"action", action},
                        {"place", keeper.request.target == KeepTarget::Disk ? "disk" : "memory"},
                        {"bytes", bytes}});
}

Issues KeptValues::takeIssues() {
    return std::exchange(issues_, {});
}

std::vector<Json> KeptValues::takeReports() {
    return std::exchange(reports_, {});
}

}  // namespace lowtide::executor
