#include "cli/comparison.hpp"
#include "plugin/image/contact_sheet.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

namespace lowtide::cli {

namespace {

std::string captionText(const char* form, double first, double second) {
    std::array<char, 80> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), form, first, second));
    return text.data();
}

/// The figures below an image.
std::vector<std::string> captionOf(const ComparedRun& compared) {
    if (compared.run.status != Status::Ok) {
        return {"failed"};
    }
    const std::string time = captionText("%.2f s", compared.run.milliseconds / 1000, 0);
    if (compared.difference.images.empty()) {
        return {time, compared.difference.problem};
    }
    const image::ImageDifference all = together(compared.difference.images);
    return {time,
            std::isfinite(all.psnr)
                ? captionText("PSNR %.1f dB, SSIM %.3f", all.psnr, all.ssim.value_or(0))
                : "equal to the reference"};
}

using ImageNames = std::function<std::vector<Image8>(const ComparedRun&)>;

image::SheetCell cellOf(const ComparedRun& compared,
                        std::vector<std::string> heads,
                        const ImageNames& imagesOf) {
    std::ranges::move(captionOf(compared), std::back_inserter(heads));
    return {.images = imagesOf(compared), .lines = std::move(heads)};
}

/// All variants, then from a new row on what fewer steps gave.
image::ContactSheet sheetOf(const Comparison& comparison,
                            std::string title,
                            const ImageNames& imagesOf) {
    image::ContactSheet sheet{
        .title = std::move(title), .columns = comparison.columns, .cells = {}, .footers = {}};
    for (const ComparedVariant& variant : comparison.variants) {
        std::vector<std::string> heads = variant.own.run.settings;
        heads.front().insert(0, std::to_string(sheet.cells.size()) + ": ");
        sheet.cells.push_back(cellOf(variant.own, std::move(heads), imagesOf));
    }
    sheet.cells.front().lines.back() = "the reference";
    sheet.cells.resize((sheet.cells.size() + sheet.columns - 1) / sheet.columns * sheet.columns);
    for (size_t i = 0; i < comparison.variants.size(); ++i) {
        const auto& fewer = comparison.variants[i].fewerSteps;
        if (fewer) {
            sheet.cells.push_back(
                cellOf(*fewer, {"as fast as " + std::to_string(i), fewer->run.name}, imagesOf));
        }
    }
    return sheet;
}

}  // namespace

image::ContactSheet contactSheetOf(const Comparison& comparison) {
    return sheetOf(comparison, comparison.graph, [](const ComparedRun& compared) {
        return compared.run.images;
    });
}

image::ContactSheet heatMapsOf(const Comparison& comparison) {
    const VariantRun& reference = comparison.variants.front().own.run;
    const auto mapsOf = [&](const ComparedRun& compared) {
        std::vector<Image8> maps;
        const bool isReference = &compared.run == &reference;
        for (size_t i = 0; i < compared.difference.images.size() && !isReference; ++i) {
            maps.push_back(image::heatMap(reference.images[i], compared.run.images[i]));
        }
        return isReference ? reference.images : maps;
    };
    image::ContactSheet sheet =
        sheetOf(comparison, comparison.graph + ": where colours differ from the reference", mapsOf);
    sheet.footers.push_back(image::heatLegend());
    return sheet;
}

}  // namespace lowtide::cli
