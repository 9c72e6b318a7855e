#include "ui/panels/model_texts.hpp"

#include "ui/language/module_texts.hpp"
#include "ui/panels/offered_models.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

class ModelTexts {
    Q_DECLARE_TR_FUNCTIONS(ModelTexts)
};

const char* verdictColour(ModelVerdict verdict) {
    switch (verdict) {
        case ModelVerdict::Fits:
            return "success";
        case ModelVerdict::Streams:
            return "warning";
        case ModelVerdict::TooBig:
            return "error";
        case ModelVerdict::Unknown:
            break;
    }
    return "text.muted";
}

QString plannedText(const ModelFit& fit) {
    switch (fit.verdict) {
        case ModelVerdict::Fits:
            return ModelTexts::tr("fits whole");
        case ModelVerdict::Streams:
            return ModelTexts::tr("streams %1 a pass").arg(bytesText(fit.streamed));
        case ModelVerdict::TooBig:
            return fit.needed > 0 ? ModelTexts::tr("needs %1").arg(bytesText(fit.needed))
                                  : ModelTexts::tr("does not fit");
        case ModelVerdict::Unknown:
            break;
    }
    return {};
}

}  // namespace

QString kindText(ModelKind kind) {
    switch (kind) {
        case ModelKind::Checkpoint:
            return ModelTexts::tr("checkpoint");
        case ModelKind::Denoiser:
            return ModelTexts::tr("denoiser");
        case ModelKind::DiffusionModel:
            return ModelTexts::tr("diffusion model");
        case ModelKind::TextEncoder:
            return ModelTexts::tr("text encoder");
        case ModelKind::Autoencoder:
            return ModelTexts::tr("autoencoder");
        case ModelKind::Upscaler:
            return ModelTexts::tr("upscaler");
        case ModelKind::Lora:
            return ModelTexts::tr("LoRA");
        case ModelKind::ControlNet:
            return ModelTexts::tr("ControlNet");
        case ModelKind::IpAdapter:
            return ModelTexts::tr("IP-Adapter");
        case ModelKind::ImageEncoder:
            return ModelTexts::tr("image encoder");
        case ModelKind::Embedding:
            return ModelTexts::tr("embedding");
        case ModelKind::Other:
            break;
    }
    return ModelTexts::tr("unknown");
}

QString familyText(const ModelFile& model) {
    return model.family.empty() ? kindText(model.kind) : QString::fromStdString(model.family);
}

FitText fitTextOf(const FoundModel& model,
                  const std::optional<ModelFit>& planned,
                  ModelVerdict byWeights) {
    if (!model.file.problem.empty()) {
        return {};
    }
    if (!model.file.isRunnable) {
        return {.text = ModelTexts::tr("not run here")};
    }
    if (!model.file.needs.empty()) {
        return {.text = ModelTexts::tr("runs with %1").arg(moduleSentence(model.file.needs))};
    }
    if (planned && planned->verdict != ModelVerdict::Unknown) {
        return {plannedText(*planned), verdictColour(planned->verdict), planned->verdict};
    }
    return {verdictText(byWeights), verdictColour(byWeights), byWeights};
}

}  // namespace lowtide::ui
