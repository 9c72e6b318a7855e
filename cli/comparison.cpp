#include "cli/comparison.hpp"

#include "cli/printed_text.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace lowtide::cli {

namespace {

constexpr const char* kHeads =
    ",variant,time,peak,full/part/pred,PSNR,SSIM,cosine,least,edges,colour,worst tile";
/// The columns before stand at the left, in the table of sensitivities too.
constexpr size_t kFirstNumber = 2;
/// The last ones state how far a variant is from the reference.
constexpr size_t kDifferences = 7;
constexpr size_t kShownDigits = 10;  ///< of a hash

std::string finite(const char* form, double value) {
    return std::isfinite(value) ? formatted(form, value) : "equal";
}

std::string stepsText(const VariantRun& run) {
    return run.steps ? std::to_string(run.steps->full) + "/" + std::to_string(run.steps->partial) +
                           "/" + std::to_string(run.steps->predicted)
                     : "-";
}

std::string worstText(const image::WorstTile& worst) {
    return std::isfinite(worst.psnr)
               ? formatted("%.1f dB at %d,%d", worst.psnr, worst.xPixels, worst.yPixels)
               : "equal";
}

/// Cosines of all nodes: of the last latents, and the least of all steps.
Cells cosineTexts(const std::vector<LatentCosine>& latents) {
    if (latents.empty()) {
        return {"-", "-"};
    }
    double last = 1;
    double least = 1;
    bool hasSteps = false;
    for (const LatentCosine& node : latents) {
        last = std::min(last, node.last);
        for (const double step : node.steps) {
            hasSteps = true;
            least = std::min(least, step);
        }
    }
    return {formatted("%.4f", last), hasSteps ? formatted("%.4f", least) : "-"};
}

Cells figuresOf(const VariantComparison& difference) {
    if (difference.images.empty()) {
        return Cells(kDifferences, "-");
    }
    const image::ImageDifference all = together(difference.images);
    Cells cells = {finite("%.2f dB", all.psnr), all.ssim ? formatted("%.4f", *all.ssim) : "-"};
    std::ranges::move(cosineTexts(difference.latents), std::back_inserter(cells));
    cells.push_back(finite("%.3f", all.edgeEnergyRatio));
    cells.push_back(formatted("%.2f", all.colourShift));
    cells.push_back(worstText(all.worst));
    return cells;
}

Cells rowOf(const std::string& number, const VariantRun& run, bool isReference) {
    Cells cells = {number, run.name};
    if (run.status != Status::Ok) {
        cells.push_back("failed");
        return cells;
    }
    cells.push_back(formatted("%.3f s", run.milliseconds / 1000));
    cells.push_back(formatBytes(run.peak));
    cells.push_back(stepsText(run));
    std::ranges::move(isReference ? Cells(kDifferences, "-") : figuresOf(run.difference),
                      std::back_inserter(cells));
    return cells;
}

/// JSON has no infinity.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json toJson(const image::ImageDifference& difference) {
    return {{"equal", std::isinf(difference.psnr)},
            {"psnr", number(difference.psnr)},
            {"ssim", difference.ssim ? Json(*difference.ssim) : Json()},
            {"edge_energy_ratio", number(difference.edgeEnergyRatio)},
            {"colour_shift", difference.colourShift},
            {"worst_tile",
             {{"x", difference.worst.xPixels},
              {"y", difference.worst.yPixels},
              {"side", image::kDifferenceTilePixels},
              {"psnr", number(difference.worst.psnr)}}}};
}

Json toJson(const VariantComparison& difference) {
    Json latents = Json::array();
    for (const LatentCosine& node : difference.latents) {
        latents.push_back({{"node", node.node}, {"steps", node.steps}, {"last", node.last}});
    }
    Json images = Json::array();
    for (const image::ImageDifference& image : difference.images) {
        images.push_back(toJson(image));
    }
    return {{"all", difference.images.empty() ? Json() : toJson(together(difference.images))},
            {"pictures", images},
            {"latent_cosine", latents},
            {"problem", difference.problem.empty() ? Json() : Json(difference.problem)}};
}

Json toJson(const VariantRun& run, bool isReference) {
    Json steps;
    if (run.steps) {
        steps = {{"full", run.steps->full},
                 {"partial", run.steps->partial},
                 {"predicted", run.steps->predicted}};
    }
    const bool isCompared = !isReference && run.status == Status::Ok;
    return {{"name", run.name},
            {"set", run.settings},
            {"status", static_cast<int>(run.status)},
            {"issues", run.issues},
            {"seconds", run.milliseconds / 1000},
            {"sampling_seconds", run.samplingMilliseconds / 1000},
            {"peak_bytes", run.peak},
            {"steps", steps},
            {"files", run.files},
            {"difference", isCompared ? toJson(run.difference) : Json()}};
}

/// The figures below an image.
std::vector<std::string> captionOf(const VariantRun& run) {
    if (run.status != Status::Ok) {
        return {"failed"};
    }
    const std::string time = formatted("%.2f s", run.milliseconds / 1000);
    if (run.difference.images.empty()) {
        return {time, run.difference.problem};
    }
    const image::ImageDifference all = together(run.difference.images);
    return {time,
            std::isfinite(all.psnr)
                ? formatted("PSNR %.1f dB, SSIM %.3f", all.psnr, all.ssim.value_or(0))
                : "equal to the reference"};
}

using ImageNames = std::function<std::vector<Image8>(const VariantRun&)>;

image::SheetCell cellOf(const VariantRun& run,
                        std::vector<std::string> heads,
                        const ImageNames& imagesOf) {
    std::ranges::move(captionOf(run), std::back_inserter(heads));
    return {.images = imagesOf(run), .lines = std::move(heads)};
}

/// All variants, then from a new row on what fewer steps gave.
image::ContactSheet sheetOf(const Comparison& comparison,
                            std::string title,
                            const ImageNames& imagesOf) {
    image::ContactSheet sheet{
        .title = std::move(title), .columns = comparison.columns, .cells = {}, .footers = {}};
    for (const ComparedVariant& variant : comparison.variants) {
        std::vector<std::string> heads = variant.own.settings;
        heads.front().insert(0, std::to_string(sheet.cells.size()) + ": ");
        sheet.cells.push_back(cellOf(variant.own, std::move(heads), imagesOf));
    }
    sheet.cells.front().lines.back() = "the reference";
    sheet.cells.resize((sheet.cells.size() + sheet.columns - 1) / sheet.columns * sheet.columns);
    for (size_t i = 0; i < comparison.variants.size(); ++i) {
        const auto& fewer = comparison.variants[i].fewerSteps;
        if (fewer) {
            sheet.cells.push_back(
                cellOf(*fewer, {"as fast as " + std::to_string(i), fewer->name}, imagesOf));
        }
    }
    return sheet;
}

}  // namespace

std::string tableOf(const Comparison& comparison) {
    std::vector<Cells> rows = {split(kHeads, ',')};
    std::map<std::string, Cells> notes;  // with the numbers of the variants that they are about
    for (size_t i = 0; i < comparison.variants.size(); ++i) {
        const ComparedVariant& variant = comparison.variants[i];
        rows.push_back(rowOf(std::to_string(i), variant.own, i == 0));
        if (variant.fewerSteps) {
            rows.push_back(rowOf("", *variant.fewerSteps, false));
            rows.back()[1].insert(0, "same time: ");
        }
        for (const std::string& note : {variant.own.difference.problem, variant.noBaseline}) {
            if (!note.empty()) {
                notes[note].push_back(std::to_string(i));
            }
        }
    }
    std::string text = aligned(rows, kFirstNumber) +
                       "\nall are compared with variant 0; cosine: of the last latents, least: of "
                       "all steps\n";
    for (const auto& [note, numbers] : notes) {
        text += "variant " + join(numbers, ", ") + ": " + note + "\n";
    }
    return text;
}

std::string sensitivityTable(const Json& found) {
    // Two digits; null was not finite.
    const auto errorText = [](const Json& error) {
        return error.is_null() ? "not finite" : formatted("%.2g", error.get<double>());
    };
    std::vector<Cells> rows = {{"choice", "types", "error", "worst", "", "measured"}};
    for (const Json& row : found.at("sensitivities")) {
        rows.push_back({memberText(row, "setting"),
                        memberText(row, "types"),
                        errorText(row.at("error")),
                        errorText(row.at("worst")),
                        memberText(row, "class"),
                        row.at("is_new").get<bool>() ? "now" : memberText(row, "measured_on")});
    }
    std::string table = "the network of " + memberText(found, "node") + ", weights " +
                        memberText(found, "weights").substr(0, kShownDigits) + "\n\n" +
                        aligned(rows, kFirstNumber) +
                        "\nerror: relative L2 of what the network predicts, mean of all calls, "
                        "each on the exact run's own latents; worst: of one call; sensitive from " +
                        formatNumber(found.at("sensitive_from").get<double>()) + "\n";
    for (const Json& refused : found.at("refused")) {
        table += memberText(refused, "setting") + ": not possible here, " +
                 memberText(refused, "reason") + "\n";
    }
    return table;
}

Json toJson(const Comparison& comparison) {
    Json variants = Json::array();
    for (const ComparedVariant& variant : comparison.variants) {
        Json entry = toJson(variant.own, variants.empty());
        entry["fewer_steps"] = variant.fewerSteps ? toJson(*variant.fewerSteps, false) : Json();
        entry["no_baseline"] = variant.noBaseline.empty() ? Json() : Json(variant.noBaseline);
        variants.push_back(std::move(entry));
    }
    return {{"graph", comparison.graph}, {"reference", 0}, {"variants", variants}};
}

image::ContactSheet contactSheetOf(const Comparison& comparison) {
    return sheetOf(comparison, comparison.graph, [](const VariantRun& run) { return run.images; });
}

image::ContactSheet heatMapsOf(const Comparison& comparison) {
    const VariantRun& reference = comparison.variants.front().own;
    const auto mapsOf = [&](const VariantRun& run) {
        std::vector<Image8> maps;
        const bool isReference = &run == &reference;
        for (size_t i = 0; i < run.difference.images.size() && !isReference; ++i) {
            maps.push_back(image::heatMap(reference.images[i], run.images[i]));
        }
        return isReference ? reference.images : maps;
    };
    image::ContactSheet sheet =
        sheetOf(comparison, comparison.graph + ": where colours differ from the reference", mapsOf);
    sheet.footers.push_back(image::heatLegend());
    return sheet;
}

}  // namespace lowtide::cli
