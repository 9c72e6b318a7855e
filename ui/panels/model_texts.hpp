#pragma once

#include "ui/bridge/model_library.hpp"
#include "ui/bridge/model_plans.hpp"

#include <QString>

#include <optional>

namespace lowtide::ui {

/// "checkpoint", "LoRA", ...
[[nodiscard]] QString kindText(ModelKind kind);
/// The family, or the kind where none is known.
[[nodiscard]] QString familyText(const ModelFile& model);

/// What is said of how a model fits, and the colour of it.
struct FitText {
    QString text;
    const char* colour = "text.muted";
    ModelVerdict verdict = ModelVerdict::Unknown;
};

/// By the plan where there is one ("streams 5.2 GiB a pass"), else by the weights ("streams").
[[nodiscard]] FitText fitTextOf(const FoundModel& model,
                                const std::optional<ModelFit>& planned,
                                ModelVerdict byWeights);

}  // namespace lowtide::ui
