#pragma once

#include "ui/bridge/model_library.hpp"
#include "ui/editors/param_editor.hpp"

namespace lowtide::ui {

/// Offers the models of the library to the parameters that name them (paramOf). `library` must
/// outlive it. `programFolder`: with the files of presets.
class OfferedModels final : public OfferedFiles {
public:
    explicit OfferedModels(const ModelLibrary& library, QString programFolder = {})
        : library_(library), programFolder_(std::move(programFolder)) {}

    [[nodiscard]] std::vector<OfferedFile> filesFor(const std::string& nodeType,
                                                    const std::string& param) const override;
    [[nodiscard]] bool isOfProgram(const QString& path) const override;

    [[nodiscard]] PromptLibrary* prompts() const override { return prompts_; }

    /// nullptr: none.
    void setPrompts(PromptLibrary* prompts) { prompts_ = prompts; }

private:
    const ModelLibrary& library_;
    QString programFolder_;
    PromptLibrary* prompts_ = nullptr;
};

/// "fits", "streams", "too big"; empty: not known.
[[nodiscard]] QString verdictText(ModelVerdict verdict);
/// The rule behind the verdicts, for a tooltip.
[[nodiscard]] QString verdictRule();

}  // namespace lowtide::ui
