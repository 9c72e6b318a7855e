#pragma once
// A checkpoint of several files. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"

#include <map>
#include <memory>
#include <string>

namespace lowtide::models {

/// Checkpoints by the component ("unet", "vae") that is taken from each.
using CheckpointParts = std::map<std::string, std::shared_ptr<Checkpoint>, std::less<>>;

/// Another checkpoint with components of other files.
class PartedCheckpoint : public Checkpoint {
public:
    /// Each part has the component under whose name it stands.
    PartedCheckpoint(std::unique_ptr<Checkpoint> checkpoint, CheckpointParts parts);

    [[nodiscard]] const std::string& name() const override { return checkpoint_->name(); }

    [[nodiscard]] const std::string& nameOf(std::string_view component) const override {
        return ownerOf(component).name();
    }

    [[nodiscard]] std::string pathOf(const std::string& relative) const override {
        return ownerOf(relative).pathOf(relative);
    }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;
    [[nodiscard]] std::vector<memory::WeightFile> files() const override;

protected:
    /// Who has what lies at "<component>/..." of the diffusers layout.
    [[nodiscard]] Checkpoint& ownerOf(std::string_view relative) const;

    [[nodiscard]] Checkpoint& whole() const { return *checkpoint_; }

    [[nodiscard]] bool isParted(std::string_view component) const {
        return parts_.contains(component);
    }

private:
    std::unique_ptr<Checkpoint> checkpoint_;
    CheckpointParts parts_;
    Json index_;
};

}  // namespace lowtide::models
