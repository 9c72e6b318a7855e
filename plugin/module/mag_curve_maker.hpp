#pragma once

#include "plugin/host_api/curve_maker.hpp"

namespace lowtide::module {

/// Curves of MagCache.
class MagCurveMaker final : public CurveMaker {
public:
    Status makeCurve(std::string_view records, std::string& result) noexcept override;
};

}  // namespace lowtide::module
