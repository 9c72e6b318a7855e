#pragma once

#include "plugin/host_api/recogniser.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::module {

/// What the stages recognise, as JSON.
class FileRecogniser final : public Recogniser {
public:
    /// `stages` must outlive it.
    explicit FileRecogniser(models::Stages& stages) : stages_(stages) {}

    Status recognise(std::string_view path, std::string& result) noexcept override;

private:
    models::Stages& stages_;
};

}  // namespace lowtide::module
