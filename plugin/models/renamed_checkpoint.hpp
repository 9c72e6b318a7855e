#pragma once
// A component of a checkpoint under another name. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/models/checkpoint.hpp"

#include <memory>
#include <string>

namespace lowtide::models {

/// Shows one component of a checkpoint as another one: the file of a second expert, which no layout
/// tells from a first.
class RenamedCheckpoint final : public Checkpoint {
public:
    /// `shown`: the component's name here.
    RenamedCheckpoint(std::unique_ptr<Checkpoint> checkpoint,
                      std::string component,
                      std::string shown);

    [[nodiscard]] const std::string& name() const override { return checkpoint_->name(); }

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

    std::unique_ptr<Checkpoint> checkpoint_;
    std::string component_;
    std::string shown_;
    Json index_;
};

}  // namespace lowtide::models
