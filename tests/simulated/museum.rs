//! Incidents of other machine managers, each as a test of what cannot happen here. docs/proof.md lists those that are left out.

mod aws_karpenter_2734;
mod aws_karpenter_549;
mod capi_1433;
mod capi_9629;
mod kmc_1015;
mod kmc_131;
mod kmc_1970;
mod kmc_2080;
mod kmc_210;
mod kmc_269;
mod kmc_381;
mod kmc_581;
mod krp_1448;
mod kubermatic_1437;
mod kubermatic_6960;
mod mcm_1061;
mod mcm_298;
mod mcm_603;
mod mcm_657;
mod mcm_718;
mod mcm_772;
mod mcm_850;
mod mcm_984;
mod prelude;
