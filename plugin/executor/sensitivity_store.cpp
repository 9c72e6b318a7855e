#include "plugin/executor/sensitivity_store.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace lowtide::executor {

namespace {

constexpr const char* kSensitivityFile = "sensitivities.json";
constexpr files::CacheTable::Form kSensitivities = {.file = kSensitivityFile,
                                                    .member = "sensitivities",
                                                    .format = 1,
                                                    .largest = 16 * kMiB,
                                                    .mostEntries = 10000};
constexpr Phrase kSensitivityAdvice =
    phrase("measure again, which replaces the file: lowtide compare GRAPH --sensitivity --again");

[[noreturn]] void refuseSensitivities(const Message& problem) {
    throw Error(ErrorKind::Corrupt, problem, kSensitivityAdvice);
}

/// Null stands for what is not finite: JSON has no number for it, and it is written so.
double errorIn(const Json& entry, const char* key) {
    const auto found = entry.find(key);
    if (found == entry.end() || !(found->is_null() || found->is_number())) {
        refuseSensitivities(message("{}: an entry has no \"{}\"", kSensitivityFile, key));
    }
    const double error =
        found->is_null() ? std::numeric_limits<double>::infinity() : found->get<double>();
    if (error < 0) {
        refuseSensitivities(message("{}: an error is below zero", kSensitivityFile));
    }
    return error;
}

MeasuredSensitivity readOne(const Json& entry) {
    const JsonReader reader(entry, kSensitivityFile);
    const auto text = [&](const char* key) {
        const auto value = reader.text(key);
        if (!value) {
            refuseSensitivities(message("{}: an entry has no \"{}\"", kSensitivityFile, key));
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

SensitivityStore::SensitivityStore(std::string folder)
    : table_(std::move(folder), kSensitivities) {}

std::vector<MeasuredSensitivity> SensitivityStore::find(const std::string& weights) const {
    std::vector<MeasuredSensitivity> all;
    try {
        for (const Json& entry : table_.entries()) {
            all.push_back(readOne(entry));
        }
    } catch (const Error& error) {
        throw Error(ErrorKind::Corrupt, error.message(), kSensitivityAdvice);
    }
    std::erase_if(all, [&](const auto& measured) { return measured.weights != weights; });
    std::ranges::sort(all, {}, orderOf);
    return all;
}

void SensitivityStore::store(const MeasuredSensitivity& measured, const StopToken& stop) const {
    table_.put(
        sensitivityJson(measured),
        [&](const Json& other) { return orderOf(readOne(other)) == orderOf(measured); },
        stop);
}

}  // namespace lowtide::executor
