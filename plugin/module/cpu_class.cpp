#include "plugin/module/cpu_class.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/cache_table.hpp"

#include <utility>

namespace lowtide::module {

namespace {

constexpr const char* kFileName = "cpu_class.json";
/// The format is raised when a path of the same name gives other bits.
constexpr files::CacheTable::Form kMachines = {
    .file = kFileName, .member = "machines", .format = 1, .largest = kMiB};
constexpr size_t kMostMachines = 64;

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
        const Json machines = files::CacheTable(cacheFolder, kMachines).entries();
        return machines.is_null() ? tensor::defaultCpuPaths() : readPaths(machines, machine);
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
    files::CacheTable(cacheFolder, kMachines).change([&](Json& machines) {
        if (!machines.is_object() || machines.size() >= kMostMachines) {
            machines = Json::object();
        }
        machines[machine] = tensor::toText(paths);
    });
}

}  // namespace lowtide::module
