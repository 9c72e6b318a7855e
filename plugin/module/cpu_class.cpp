#include "plugin/module/cpu_class.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::module {

namespace {

/// Raised when a path of the same name gives other bits.
constexpr int64_t kFormat = 1;
constexpr const char* kFileName = "cpu_class.json";
constexpr Bytes kLargestFile = kMiB;
constexpr size_t kMostMachines = 64;

std::string pathIn(const std::string& folder) {
    return (std::filesystem::path(folder) / kFileName).string();
}

/// From machines to texts of paths; empty where there is no file.
Json readAll(const std::string& folder) {
    std::error_code failure;
    if (folder.empty() || !std::filesystem::exists(pathIn(folder), failure)) {
        return Json::object();
    }
    const Json json = parseJson(files::InputFile(pathIn(folder)).readAll(kLargestFile), kFileName);
    const JsonReader reader(json, kFileName);
    const Json* machines = reader.member("machines");
    if (reader.integer("format") != kFormat || !machines || !machines->is_object()) {
        throw Error(ErrorKind::Corrupt,
                    std::string(kFileName) + " was written by another version of this program",
                    "measure again: lowtide calibrate");
    }
    return *machines;
}

tensor::CpuPaths readPaths(const Json& machines, const std::string& machine) {
    const std::optional<std::string> text = JsonReader(machines, kFileName).text(machine.c_str());
    if (!text) {
        return tensor::defaultCpuPaths();
    }
    const std::optional<tensor::CpuPaths> paths = tensor::parseCpuPaths(*text);
    if (!paths || !tensor::canRun(*paths)) {
        throw Error(ErrorKind::Corrupt,
                    std::string(kFileName) + ": this machine's entry names no operators of its CPU",
                    "measure again: lowtide calibrate");
    }
    return *paths;
}

}  // namespace

tensor::CpuPaths storedCpuPaths(const std::string& cacheFolder, const std::string& machine) {
    try {
        return readPaths(readAll(cacheFolder), machine);
    } catch (const Error& error) {
        log(Level::Warning,
            std::string(error.what()) +
                "; the default ones are used, measure again: lowtide calibrate");
        return tensor::defaultCpuPaths();
    }
}

void storeCpuPaths(const std::string& cacheFolder,
                   const std::string& machine,
                   const tensor::CpuPaths& paths) {
    Json machines;
    try {
        machines = readAll(cacheFolder);
    } catch (const Error&) {
        machines = Json::object();  // not readable: nothing in it can be kept
    }
    if (machines.size() >= kMostMachines) {
        machines = Json::object();
    }
    machines[machine] = tensor::toText(paths);
    files::writeFileAtomically(pathIn(cacheFolder),
                               Json{{"format", kFormat}, {"machines", machines}}.dump(
                                   2, ' ', false, Json::error_handler_t::replace) +
                                   "\n");
}

}  // namespace lowtide::module
