#pragma once
// What files of weights hold and what they can be converted to, as JSON over the stages.

#include "nodes/engine/stages.hpp"
#include "plugin/host_api/converter.hpp"
#include "plugin/host_api/recogniser.hpp"

namespace lowtide::module {

/// What the stages recognise, as JSON.
class FileRecogniser final : public Recogniser {
public:
    /// `stages` must outlive it.
    explicit FileRecogniser(nodes::Stages& stages) : stages_(stages) {}

    Status recognise(std::string_view path, std::string& result) noexcept override;

private:
    nodes::Stages& stages_;
};

/// What the stages convert, as JSON.
class CheckpointConverter final : public Converter {
public:
    /// `stages` must outlive it.
    explicit CheckpointConverter(nodes::Stages& stages) : stages_(stages) {}

    Status choices(std::string_view request, std::string& result) noexcept override;
    Status convert(std::string_view request,
                   ConversionWatch& watch,
                   std::string& result) noexcept override;

private:
    nodes::Stages& stages_;
};

}  // namespace lowtide::module
