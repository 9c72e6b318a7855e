#include "cli/aligned.hpp"
#include "cli/comparison.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

namespace lowtide::cli {

namespace {

const Cells kHeads = {"",
                      "variant",
                      "time",
                      "peak",
                      "full/part/pred",
                      "PSNR",
                      "SSIM",
                      "cosine",
                      "least",
                      "edges",
                      "colour",
                      "worst tile"};
/// The columns before stand at the left.
constexpr size_t kFirstNumber = 2;
/// The last ones state how far a variant is from the reference.
constexpr size_t kDifferences = 7;

std::string formatted(const char* form, double value) {
    std::array<char, 48> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), form, value));
    return text.data();
}

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
               ? formatted("%.1f dB at ", worst.psnr) + std::to_string(worst.xPixels) + "," +
                     std::to_string(worst.yPixels)
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

Cells rowOf(const std::string& number, const ComparedRun& compared, bool isReference) {
    const VariantRun& run = compared.run;
    Cells cells = {number, run.name};
    if (run.status != Status::Ok) {
        cells.push_back("failed");
        return cells;
    }
    cells.push_back(formatted("%.3f s", run.milliseconds / 1000));
    cells.push_back(formatBytes(run.peak));
    cells.push_back(stepsText(run));
    std::ranges::move(isReference ? Cells(kDifferences, "-") : figuresOf(compared.difference),
                      std::back_inserter(cells));
    return cells;
}

}  // namespace

std::string tableOf(const Comparison& comparison) {
    std::vector<Cells> rows = {kHeads};
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

}  // namespace lowtide::cli
