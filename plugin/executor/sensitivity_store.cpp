#include "plugin/executor/sensitivity_store.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>

namespace lowtide::executor {

namespace {

/// Raised when the meaning of a number in the file changes.
constexpr int64_t kSensitivityFormat = 1;
constexpr const char* kSensitivityFile = "sensitivities.json";
constexpr const char* kSensitivityAdvice =
    "measure again, which replaces the file: lowtide compare GRAPH --sensitivity --again";
constexpr Bytes kLargestSensitivities = 16 * kMiB;

[[noreturn]] void refuseSensitivities(const std::string& problem) {
    throw Error(ErrorKind::Corrupt, std::string(kSensitivityFile) + problem, kSensitivityAdvice);
}

/// Null stands for what is not finite: JSON has no number for it, and it is written so.
double errorIn(const Json& entry, const char* key) {
    const auto found = entry.find(key);
    if (found == entry.end() || !(found->is_null() || found->is_number())) {
        refuseSensitivities(std::string(": an entry has no \"") + key + "\"");
    }
    const double error =
        found->is_null() ? std::numeric_limits<double>::infinity() : found->get<double>();
    if (error < 0) {
        refuseSensitivities(": an error is below zero");
    }
    return error;
}

MeasuredSensitivity readOne(const Json& entry) {
    const JsonReader reader(entry, kSensitivityFile);
    const auto text = [&](const char* key) {
        const auto value = reader.text(key);
        if (!value) {
            refuseSensitivities(std::string(": an entry has no \"") + key + "\"");
        }
        return *value;
    };
    return {.weights = text("weights"),
            .setting = text("setting"),
            .types = text("types"),
            .pass = text("pass"),
            .error = errorIn(entry, "error"),
            .worst = errorIn(entry, "worst"),
            .measuredOn = text("measured_on")};
}

Json sensitivityJson(const MeasuredSensitivity& measured) {
    return {{"weights", measured.weights},
            {"setting", measured.setting},
            {"types", measured.types},
            {"pass", measured.pass},
            {"error", measured.error},
            {"worst", measured.worst},
            {"measured_on", measured.measuredOn}};
}

auto orderOf(const MeasuredSensitivity& measured) {
    return std::tuple(measured.weights, measured.setting, measured.types);
}

}  // namespace

const char* verdictOn(double error) noexcept {
    return error < kSensitiveFrom ? "tolerant" : "sensitive";
}

std::vector<MeasuredSensitivity> SensitivityStore::find(const std::string& weights) const {
    std::error_code failure;
    if (folder_.empty() || !std::filesystem::exists(path(), failure)) {
        return {};
    }
    std::vector<MeasuredSensitivity> all = readAll();
    std::erase_if(all, [&](const auto& measured) { return measured.weights != weights; });
    return all;
}

void SensitivityStore::store(const MeasuredSensitivity& measured) const {
    if (folder_.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no folder to keep sensitivities in",
                    "set HOME, or LOWTIDE_CACHE to a folder");
    }
    files::makeFolders(folder_);
    std::vector<MeasuredSensitivity> all;
    try {
        all = readAll();
    } catch (const Error&) {
        all.clear();  // absent or not readable: nothing in it can be kept
    }
    std::erase_if(all, [&](const auto& other) { return orderOf(other) == orderOf(measured); });
    all.push_back(measured);
    std::ranges::sort(all, {}, orderOf);
    Json entries = Json::array();
    for (const MeasuredSensitivity& each : all) {
        entries.push_back(sensitivityJson(each));
    }
    files::writeFileAtomically(
        path(), Json{{"format", kSensitivityFormat}, {"sensitivities", entries}}.dump(2) + "\n");
}

std::string SensitivityStore::path() const {
    return (std::filesystem::path(folder_) / kSensitivityFile).string();
}

std::vector<MeasuredSensitivity> SensitivityStore::readAll() const {
    try {
        const Json json =
            parseJson(files::InputFile(path()).readAll(kLargestSensitivities), kSensitivityFile);
        const JsonReader reader(json, kSensitivityFile);
        if (reader.integer("format") != kSensitivityFormat) {
            refuseSensitivities(" was written by another version of this program");
        }
        const Json* entries = reader.member("sensitivities");
        if (!entries || !entries->is_array()) {
            refuseSensitivities(": there are no sensitivities");
        }
        std::vector<MeasuredSensitivity> all;
        for (const Json& entry : *entries) {
            all.push_back(readOne(entry));
        }
        return all;
    } catch (const Error& error) {
        throw Error(ErrorKind::Corrupt, error.message(), kSensitivityAdvice);
    }
}

}  // namespace lowtide::executor
