#pragma once

#include "plugin/interop/prompt.hpp"

namespace lowtide::interop {

/// The prompt that the editor would send for a workflow. Errors as readPrompt.
[[nodiscard]] Prompt promptOfWorkflow(const Json& workflow, const ClassTable& table);

}  // namespace lowtide::interop
