#include "nodes/cache/cache_nodes.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> gateParameters() {
    return {
        {.id = "gate",
         .label = "Gate",
         .tooltip = "What decides: windows that grow along the run, or how far the result has "
                    "probably moved.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("window"),
         .choices = {{"window", "Windows"}, {"output_change", "Change (EasyCache)"}}},
        numberParam("window",
                    "Window",
                    "Of the gate Windows: calls from one computed one to the next, at first.",
                    2,
                    1,
                    1000,
                    5),
        numberParam("window_growth",
                    "Growth",
                    "Of the gate Windows: how much longer each is than the one before.",
                    0.5,
                    0,
                    1000,
                    2),
        numberParam("threshold",
                    "Threshold",
                    "Of the gate Change: the sum of expected changes below which calls are "
                    "forecast. 0 computes everything.",
                    0.2,
                    0,
                    10,
                    1),
        numberParam("start",
                    "Start",
                    "Of the gate Change: fraction of the calls before which all are computed.",
                    0.15,
                    0,
                    1,
                    1),
        numberParam(
            "end", "End", "Fraction of the calls from which on all are computed.", 0.9, 0, 1, 1)};
}

std::vector<ParamDesc> stepForecastParameters() {
    std::vector<ParamDesc> params = gateParameters();
    params.push_back(
        {.id = "predictor",
         .label = "Predictor",
         .tooltip =
             "What stands for the result: the line through the last two, a curve through the "
             "last six, or what the network added to its input last.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("taylor"),
         .choices = {
             {"taylor", "Line (Taylor 1)"}, {"spectrum", "Curve (Spectrum)"}, {"reuse", "Reuse"}}});
    for (ParamDesc& param : limitParams(4, 0)) {
        params.push_back(std::move(param));
    }
    return params;
}

}  // namespace

executor::NodeType stepForecastNode(Stages&) {
    return cacheNode({.id = "cache.forecast",
                      .label = "Step forecast",
                      .tooltip = "Leaves out whole calls of the network and predicts their "
                                 "results. For every model; faster, changes pixels.",
                      .params = stepForecastParameters()},
                     "step_forecast");
}

}  // namespace lowtide::nodes
