#include "cli/commands.hpp"
#include "cli/os.hpp"
#include "cli/printed_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/start_module.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <cstdio>
#include <optional>

namespace lowtide::cli {

namespace {

/// Shows how far it is, until the user interrupts.
class ConversionProgress final : public Watch {
public:
    explicit ConversionProgress(const std::string& storage) : storage_(storage) {}

    bool goesOn(int64_t doneBytes, int64_t totalBytes) noexcept override {
        line_.show({{"event", "nodeProgress"},
                    {"node", "convert"},
                    {"phase", storage_ + " MiB"},
                    {"done", doneBytes / kMiB},
                    {"total", totalBytes / kMiB}});
        return interruptCount() == 0;
    }

private:
    std::string storage_;
    ProgressLine line_;
};

void addStorages(const char* title, const Json& storages, std::vector<Cells>& rows) {
    Bytes sum = 0;
    for (const Json& each : storages) {
        const Bytes bytes = each.at("bytes").get<Bytes>();
        rows.push_back({title,
                        memberText(each, "storage"),
                        std::to_string(each.at("tensors").get<int64_t>()),
                        formatBytes(bytes)});
        sum += bytes;
        title = "";
    }
    rows.push_back({"", "together", "", formatBytes(sum)});
}

void printConversion(const Json& result, const ConvertArguments& arguments) {
    std::vector<Cells> rows = {{"", "", "tensors", "bytes"}};
    addStorages("before", result.at("before"), rows);
    addStorages("after", result.at("after"), rows);
    std::printf("%s as %s, in %.1f s\n\n%s\n",
                memberText(result, "contents").c_str(),
                arguments.storage.c_str(),
                result.at("seconds").get<double>(),
                aligned(rows, 2).c_str());
    const auto rounded = result.at("rounded_tensors").get<int64_t>();
    if (rounded == 0) {
        std::printf("every number is that of the source\n");
    } else {
        std::printf(
            "re-encoded, and lossy: %lld tensors were rounded, by %.3g of their numbers on "
            "average, by %.3g at most (%s)\n",
            static_cast<long long>(rounded),
            result.at("mean_error").get<double>(),
            result.at("worst_error").get<double>(),
            memberText(result, "worst_tensor").c_str());
    }
    std::printf("%s\n", arguments.out.c_str());
}

}  // namespace

Status convertCheckpoint(const ConvertArguments& arguments) {
    catchInterrupts();
    Plugin& plugin = loader::startPlugin({});
    const Json request = {{"checkpoint", arguments.checkpoint},
                          {"storage", arguments.storage},
                          {"out", arguments.out}};
    std::optional<ConversionProgress> progress(arguments.storage);
    Answer answer = call(plugin, "convert", request, &*progress);
    progress.reset();
    const Json result = resultOf(std::move(answer));
    arguments.json ? printJson(result) : printConversion(result, arguments);
    return Status::Ok;
}

}  // namespace lowtide::cli
