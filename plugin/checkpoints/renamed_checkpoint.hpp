#pragma once
// Components of a checkpoint under other names. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"

#include <map>
#include <memory>
#include <string>

namespace lowtide::models {

/// Shows components of a checkpoint as other ones: the file of a second expert, or of a third text
/// encoder with its tokenizer, which no layout tells from a first.
class RenamedCheckpoint final : public Checkpoint {
public:
    /// `shown`: names here, and those of the checkpoint.
    RenamedCheckpoint(std::shared_ptr<Checkpoint> checkpoint,
                      std::map<std::string, std::string, std::less<>> shown);

    [[nodiscard]] const std::string& name() const override { return checkpoint_->name(); }

    [[nodiscard]] std::string pathOf(const std::string& relative) const override {
        return checkpoint_->pathOf(placeOf(relative));
    }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] WeightMap weights(const std::string& component, const std::string& stem) override;
    [[nodiscard]] std::function<WeightMap()> laterWeights(const std::string& component,
                                                          const std::string& stem) override;

    [[nodiscard]] std::vector<memory::WeightFile> files() const override {
        return checkpoint_->files();
    }

private:
    /// The place behind a place here.
    [[nodiscard]] std::string placeOf(const std::string& relative) const;

    std::shared_ptr<Checkpoint> checkpoint_;
    std::map<std::string, std::string, std::less<>> shown_;
    Json index_;
};

}  // namespace lowtide::models
